# ===- backend.py - The backend of torch.compile ---------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``torch.compile(model, backend="dyn")``: PyTorch's entry point for backends
(`torch_dynamo_backends`) finds :func:`dyn_backend`.

A graph that dyn cannot compile, and a call that its artifact refuses, are computed by
PyTorch's own code, so that no call fails here that works in PyTorch.
"""

import atexit
import copy
import dataclasses
import functools
import inspect
import operator
import threading
import weakref

import torch
from torch._dynamo import convert_frame
from torch.export.graph_signature import OutputKind
from torch.fx._lazy_graph_module import _LazyGraphModule

from dyn.errors import DataError, InvalidArgumentError, UnsupportedError
from dyn.frontend.torch import admission
from dyn.frontend.torch.compiling import compile_program
from dyn.frontend.torch.fallback import Warned, as_own, counts, described
from dyn.frontend.torch.gradients import attached
from dyn.frontend.torch.graphs import exported, floats_of, is_same_number, parts
from dyn.frontend.torch.guards import have_same_guards
from dyn.frontend.torch.registry import SplitError
from dyn.frontend.torch.results import rewrite
from dyn.frontend.torch.sharing import Programs
from dyn.frontend.torch.snapshot import Snapshot
from dyn.runtime import Artifact, load

#: Maximum number of variants of a graph, for new parameters and numbers and for calls that
#: artifacts refused: each takes as long as a compilation.
_MOST_VARIANTS = 32
_MOST_FOR_SIZES = 4
#: After this many consecutive calls that artifacts refused, no more are tried.
_MOST_REFUSALS = 16

#: By PyTorch's number of a piece of Python, and options.
_sites = {}

#: PyTorch never frees compiled graphs, and an artifact that is still loaded when the
#: process ends would be reported as a leak.
_variants = weakref.WeakSet()


@dataclasses.dataclass(frozen=True)
class Statistics:
    """Counts of the graphs and calls of torch.compile."""

    #: Graphs that PyTorch made, and that dyn compiled or had an artifact for.
    graphs: int
    #: Compilations by dyn.
    compilations: int
    #: Calls of all graphs that artifacts computed.
    calls: int
    #: The artifacts of the graphs that are alive.
    artifacts: tuple[Artifact, ...]
    #: Graphs left to PyTorch because dyn cannot compile them.
    pytorch_graphs: int = 0
    #: Calls that PyTorch computed, those of such graphs included.
    pytorch_calls: int = 0
    #: Number of graphs and calls left to PyTorch, by reason.
    reasons: dict[str, int] = dataclasses.field(default_factory=dict)
    #: Pieces of Python of which PyTorch has made the maximum number of graphs: calls that
    #: need another one run without dyn.
    limited: int = 0


def statistics():
    """The :class:`Statistics` of this process."""
    found = {id(a): a for a in (v.artifact for v in list(_variants)) if a is not None}
    sums, reasons = counts.read()
    names = [field.name for field in dataclasses.fields(Statistics)]
    numbers = {name: sums[name] for name in names if name not in ("artifacts", "reasons")}
    return Statistics(artifacts=(*found.values(),), reasons=reasons, **numbers)


@atexit.register
def _release_all():
    for variant in list(_variants):
        variant.release()


def dyn_backend(graph_module, example_inputs, options=None, mode=None, name=None):
    """Compiles a graph of torch.compile; returns the function that runs it.

    Args:
      options: a dictionary from ``torch.compile(..., options=)`` with the
        arguments `isa` and `options` of :func:`dyn.compile` and those of
        :func:`dyn.load`; with ``"strict": True``, a graph or call that dyn cannot
        compile or compute is an error.
      mode, name: of torch.compile, ignored.

    Warns:
      FallbackWarning: the graph or a call of it is left to PyTorch.
    """
    options = dict(options or {})
    strict = options.pop("strict", False)
    unknown = sorted(options.keys() - _known_options())
    if unknown:
        known = ", ".join(sorted(_known_options() | {"strict"}))
        raise InvalidArgumentError(f"options: expected {known}, found {', '.join(unknown)}")
    return _Compiled(graph_module, example_inputs, options, strict, _site(options))


def _known_options():
    return {"isa", "options"} | (inspect.signature(load).parameters.keys() - {"path", "entry"})


class _Site:
    """A piece of Python of which PyTorch makes graphs."""

    def __init__(self):
        self.programs = Programs()
        self.warned = Warned()


def _site(options):
    """The :class:`_Site` that is being compiled."""
    compilation = torch._guards.CompileContext.current_compile_id()
    if compilation is None or compilation.frame_id is None:
        return _Site()
    key = (compilation.frame_id, repr(sorted(options.items())))
    # PyTorch restarts its numbers after a reset.
    site = _sites.get(key) if compilation.frame_compile_id else None
    if site is None:
        site = _sites[key] = _Site()
    return site


def _warn_of_limit(site):
    """Warns if PyTorch makes no further graph of the Python that is being compiled."""
    compilation = torch._guards.CompileContext.current_compile_id()
    limit = torch._dynamo.config.recompile_limit
    if compilation is not None and compilation.frame_compile_id == limit - 1:
        counts.add(limited=1)
        site.warned.warn(
            f"PyTorch has made {limit} graphs of {_location()} and makes no more: calls that need "
            "another one run without dyn. Raise torch._dynamo.config.recompile_limit if there are "
            "to be more"
        )


def _location():
    """The location of the Python that is being compiled."""
    context = torch._guards.TracingContext.try_get()
    fields = context.fake_mode.shape_env.co_fields if context and context.fake_mode else {}
    return "{co_name} ({co_filename}:{co_firstlineno})".format_map(
        {"co_name": "a function", "co_filename": "?", "co_firstlineno": "?", **fields}
    )


class _Compiled:
    """A graph of torch.compile, compiled for the parameters that it is called with:
    parameters are part of an artifact."""

    def __init__(self, graph_module, example_inputs, options, strict, site):
        self._graph_module = graph_module
        self._options = options
        self._strict = strict
        self._site = site
        self._lock = threading.Lock()
        self._variants = []
        self._left, self._left_for_sizes = _MOST_VARIANTS, _MOST_FOR_SIZES
        #: Why all calls are left to PyTorch, and how many consecutive ones were.
        self._refusal, self._refused = None, 0
        #: Whether gradients were computed: then PyTorch's code is faster.
        self._is_trained = False
        try:
            admission.check_graph(graph_module, example_inputs)
            # Which inputs are built-in numbers. PyTorch provides this only until this
            # returns.
            self._built_in = floats_of(graph_module)
            self._strided = admission.strided_inputs(graph_module)
            self._rewritten = torch.fx.GraphModule(graph_module, copy.deepcopy(graph_module.graph))
            self._results = rewrite(self._rewritten.graph)
            self._rewritten.recompile()
            self._variants.append(self._variant(example_inputs, site.programs))
            counts.add(graphs=1)
            _warn_of_limit(site)
        except _ViewsAlone:
            self._refusal = _ViewsAlone()
        except Exception as error:
            # A part of routed computation is useless in PyTorch's code.
            if strict or isinstance(error, SplitError):
                raise
            self._stay(error)

    def _variant(self, args, programs, refused=()):
        self._left -= 1
        return _Variant(
            self._rewritten, self._results, args, self._built_in, self._options, programs, refused
        )

    def __call__(self, *args):
        if self._refusal is not None:
            return self._in_pytorch(args, self._refusal)
        problem = self._problem(args)
        if problem is not None:
            return self._leave(args, UnsupportedError(problem))
        tried, refusal = [], None
        for variant in tuple(self._variants):
            if variant.serves(args):
                results, refusal = self._try(variant, args, refusal)
                if results is not None:
                    return results
                tried.append(variant)
        if not tried:
            # The same code for another module, or for new values.
            variant, refusal = self._new_variant(args)
            if variant is not None:
                results, refusal = self._try(variant, args, None)
                if results is not None:
                    return results
                tried.append(variant)
        return self._leave(args, refusal, tried)

    def _problem(self, args):
        """The reason why PyTorch has to compute a call, else None."""
        if self._is_trained and not self._strict:
            return _GRADIENTS
        if not all(admission.fills_its_memory(args[i]) for i in self._strided):
            return "elements are read by their positions in memory, which an input does not fill"
        return admission.problem_of_call()

    def _try(self, variant, args, refusal):
        """The results of a call and None, or None and the reason why the artifact refuses
        it: `refusal`, the first reason, if given."""
        results = None
        try:
            found = self._run(variant, args)
            if not variant.changes_inputs:
                results = self._results.take(args, found)
        except Exception as error:
            if self._strict:
                raise
            return None, refusal or error
        self._refused = 0
        counts.add(calls=1)
        # The call has changed its inputs, so PyTorch cannot repeat it.
        return results or self._results.take(args, found), None

    def _run(self, variant, args):
        if not self._results.have_gradients:
            return variant(args)
        return attached(variant, self._rewritten, self._results.requires_grad, self._train, args)

    def _train(self):
        self._is_trained = True

    def _new_variant(self, args, tried=None):
        """A variant for a call and None, or None and the reason why there is none. Those in
        `tried` have refused the call."""
        # PyTorch must not trace in two threads at once.
        with convert_frame.compile_lock, self._lock:
            for variant in self._variants:
                if variant not in (tried or ()) and variant.serves(args):
                    return variant, None
            try:
                if self._left <= 0 and not self._strict:
                    raise UnsupportedError(
                        "parameters or numbers that are part of the artifact have changed "
                        f"{_MOST_VARIANTS} times"
                    )
                variant = self._variant_for(args, tried or ())
            except Exception as error:
                if self._strict:
                    raise
                return None, error
            # In place: PyTorch holds the list, too, as an attribute of its wrapper of this
            # object.
            self._variants[:] = [v for v in self._variants if v.is_current()] + [variant]
        return variant, None

    def _variant_for(self, args, tried):
        """A new variant. Numbers that have changed become inputs, if operators allow it."""
        if self._built_in and any(v.serves_others(args) for v in self._variants):
            built_in, self._built_in = self._built_in, set()
            try:
                return self._variant(args, self._site.programs, tried)
            except Exception:
                self._built_in = built_in
        variant = self._variant(args, self._site.programs, tried)
        return variant if variant.serves(args) else self._variant(args, Programs(), ())

    # ------------------------------------------------------------------------
    # PyTorch's own code
    # ------------------------------------------------------------------------

    def _stay(self, refusal):
        """Leaves the graph to PyTorch from now on."""
        with self._lock:
            if self._refusal is not None:
                return
            self._variants[:] = []
            self._refusal = as_own(refusal)
        counts.add(described(refusal), pytorch_graphs=1)
        self._site.warned.warn(f"PyTorch computes a graph instead of dyn: {described(refusal)}")

    def _leave(self, args, refusal, tried=None):
        """Leaves a call to PyTorch, and prepares for later calls of its kind."""
        if self._strict:
            raise refusal
        results = self._in_pytorch(args, refusal)
        if tried is not None:
            self._refused += 1
            if self._refused >= _MOST_REFUSALS:
                self._stay(refusal)
                return results
            if self._takes_other_sizes(args, refusal, tried):
                return results
        counts.add(described(refusal))
        self._site.warned.warn(f"PyTorch computes a call instead of dyn: {described(refusal)}")
        return results

    def _takes_other_sizes(self, args, refusal, tried):
        """Makes a variant for the sizes of a call that PyTorch has computed and all others
        refuse. Returns whether it succeeded."""
        if not isinstance(refusal, (DataError, InvalidArgumentError)) or not self._left_for_sizes:
            return False
        self._left_for_sizes -= 1
        variant, _ = self._new_variant(args, tried)
        return variant is not None

    def _in_pytorch(self, args, refusal):
        # Otherwise PyTorch prints the stack if the first call of an uncompiled graph fails.
        _LazyGraphModule.force_recompile(self._graph_module)
        if isinstance(refusal, _ViewsAlone):
            return self._graph_module.forward(*args)
        counts.add(pytorch_calls=1)
        try:
            return self._graph_module.forward(*args)
        except Exception as error:
            raise error from as_own(refusal)


_GRADIENTS = (
    "gradients of the graph are asked for; use torch.no_grad() or torch.inference_mode() where "
    "they are not"
)


class _ViewsAlone(Exception):
    """A graph that returns only views and computes nothing."""


def _at(args, position):
    """An integer among arguments, or a size of a tensor."""
    i, axis = position
    return int(args[i]) if axis is None else args[i].shape[axis]


class _Variant:
    """An artifact, and the parameters and floats that are built into it."""

    def __init__(self, graph_module, results, args, floats, options, programs, refused):
        self.shared = None

        def share(program):
            self._share(program, results, options, programs, refused)

        # PyTorch's own trace is in progress.
        with torch._guards.tracing(None):
            prepared, fixed = exported(graph_module, args, floats, share)
        if results.have_gradients and self.shared.model.draws:
            raise UnsupportedError("gradients of a graph that draws random numbers")
        self._kept = prepared.kept
        self._parameters = prepared.parameters
        self._snapshot = Snapshot(prepared.parameters.values())
        self._floats = prepared.floats
        self._are_complex = prepared.are_complex
        self._memory = admission.Memory(prepared.parameters.values())
        self._fixed = {position: _at(args, position) for position in fixed}
        _variants.add(self)

    def _share(self, program, results, options, programs, refused):
        """Compiles a program, or finds a known one."""
        kinds = [spec.kind for spec in program.graph_signature.output_specs]
        if not kinds:
            raise _ViewsAlone
        self.changes_inputs = OutputKind.USER_INPUT_MUTATION in kinds
        if results.have_gradients and self.changes_inputs:
            raise UnsupportedError("gradients of a graph that changes its inputs in place")
        others = [variant.shared for variant in refused]
        if any(have_same_guards(program, other.program) for other in others):
            raise UnsupportedError("an artifact for these sizes has refused them")
        self.shared, self._case = programs.find(program, others)
        if self.shared is None:
            self.shared = programs.add(program, functools.partial(compile_program, **options))
            counts.add(compilations=1)

    def serves(self, args):
        """Whether the artifact was made for these parameters and numbers, and accepts the
        sizes."""
        if not self._has_parameters(args) or not self._has_numbers(args):
            return False
        if not all(_at(args, position) == size for position, size in self._fixed.items()):
            return False
        tensors = (args[i] for i in self._kept if isinstance(args[i], torch.Tensor))
        return self._case.has([tensor.shape for tensor in tensors])

    def serves_others(self, args):
        """Whether only the numbers differ from the artifact's."""
        return self._has_parameters(args) and not self._has_numbers(args)

    def _has_parameters(self, args):
        given = map(args.__getitem__, self._parameters)
        return all(map(operator.is_, given, self._parameters.values())) and self.is_current()

    def _has_numbers(self, args):
        return all(is_same_number(args[i].item(), x) for i, x in self._floats.items())

    def is_current(self):
        """Whether no parameter has changed since."""
        return self._snapshot.is_current()

    def release(self):
        self.shared = None

    @property
    def artifact(self):
        """The artifact that it uses; None when the process ends."""
        return self.shared and self.shared.model.artifact

    def __call__(self, args):
        """The results of the graph.

        Raises:
          Error: the artifact refuses the call, whose inputs are unchanged.
        """
        model = self.shared.model
        inputs = [parts(args[i]) if i in self._are_complex else args[i] for i in self._kept]
        if any(args[self._kept[i]].is_conj() for i in model.changed):
            raise UnsupportedError("an input that changes in place is conjugated")
        if model.changed and admission.shares_memory(inputs, model.changed, self._memory):
            raise UnsupportedError("an input that changes in place shares memory with another")
        state = torch.random.get_rng_state() if model.draws else None
        try:
            return model.run_flat(inputs)
        except Exception:
            if state is not None:
                torch.random.set_rng_state(state)
            raise
