// Anchors the precompiled header that all compiler targets share.
