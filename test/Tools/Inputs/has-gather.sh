#!/bin/sh
# Interesting (exit status 1) are programs with a gather.
! grep -q dhlo.gather "$1"
