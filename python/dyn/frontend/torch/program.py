# ===- program.py - Exported programs to dhlo ------------------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The importer: walks the graph of a program of torch.export and writes dhlo."""

import dataclasses
import operator
import typing

import sympy
import torch
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils import _pytree as pytree

from dyn.errors import UnsupportedError
from dyn.frontend.torch import (
    control,
    ops,  # noqa: F401 - fills the table of operators
    registry,
    scalars,
)
from dyn.frontend.torch.builder import Builder, Meta, Routes, Value, is_small
from dyn.frontend.torch.complex import Complex, calls_complex, part_dtype
from dyn.frontend.torch.experts import GatheredMatmuls, build_matmul
from dyn.frontend.torch.folding import FoldingBuilder
from dyn.frontend.torch.guards import emit_conditions, guards_of
from dyn.frontend.torch.ops.complex import split_parts, view_as_real
from dyn.frontend.torch.ports import input_names, output_names
from dyn.frontend.torch.regions import Regions, operands
from dyn.frontend.torch.routes import build_region
from dyn.frontend.torch.sizes import (
    Symbols,
    is_number,
    solve,
    substituted,
    substituting,
    substitution,
    to_expr,
    to_exprs,
)
from dyn.frontend.torch.sorted_experts import SortedRows
from dyn.frontend.torch.source import source_of
from dyn.frontend.torch.weights import Identities, Weights


@dataclasses.dataclass
class Module:
    """A program in dhlo, and how its ports correspond to PyTorch's values."""

    text: str
    #: For each flat input of the program: its port, or None if it is a constant or a size
    #: that other inputs determine.
    inputs: list[int | None]
    #: For each flat output: its port, or a constant.
    outputs: list[typing.Any]
    #: By flat input that the program changes in place: the port of its new value.
    mutations: dict[int, int]
    #: Whether random numbers are drawn.
    draws: bool
    #: Relations between sizes that calls must meet, by PyTorch's symbols.
    demands: list[sympy.Basic]


@dataclasses.dataclass(frozen=True)
class Port:
    """A flat output that is output `index` of the artifact."""

    index: int
    #: The type of PyTorch's value if it is a number: int, float or bool. `complex` means a
    #: complex tensor, which has its parts along a last axis.
    number: type | None = None


def import_program(program, weights_path, names=None, dims=None):
    """The :class:`Module` of an ExportedProgram in the form of
    :func:`~.registry.keep_form`; writes its parameters to `weights_path`.

    `names` has names of input sizes: a dictionary from (input, axis). `dims` has further
    facts about sizes by name: a number, or the minimum and the maximum.

    Raises:
      UnsupportedError: names each call that cannot be imported, with its line.
    """
    large = {n: t for n, t in held_tensors(program).items() if not is_small(t)}
    weights = Weights(weights_path, large) if large else None
    guards, ranges = guards_of(program)
    return _Importer(program, weights, guards, Symbols(ranges), names or {}, dims or {}).run()


def outline(program, ranged):
    """The text of a program without conditions on sizes and without masks that mask
    nothing, and with weights by identity: programs with equal texts compute the same (see
    outlines.py for equality). Symbols have their ranges in the program `ranged`."""
    _, ranges = guards_of(ranged)
    importer = _Importer(
        program, Identities(), [], Symbols(ranges), {}, {}, builder=FoldingBuilder
    )  # fmt: skip
    return importer.run(False).text


def positions_of(program, symbols):
    """The positions of some symbols in a program's inputs: pairs of a user's input and an
    axis, None if the input is a number."""
    specs = zip(_placeholders(program.graph), program.graph_signature.input_specs)
    users = [node.meta.get("val") for node, s in specs if s.kind == InputKind.USER_INPUT]
    for i, value in enumerate(users):
        sizes = enumerate(value.shape) if isinstance(value, torch.Tensor) else [(None, value)]
        for axis, size in sizes:
            if isinstance(size, torch.SymInt) and to_expr(size).free_symbols & symbols:
                yield i, axis


def tensor_inputs(program):
    """PyTorch's fake tensors of a program's inputs."""
    specs = zip(_placeholders(program.graph), program.graph_signature.input_specs)
    users = [node.meta.get("val") for node, s in specs if s.kind == InputKind.USER_INPUT]
    return [value for value in users if isinstance(value, torch.Tensor)]


class _Importer:
    def __init__(self, program, weights, guards, symbols, names, dims, builder=Builder):
        self.program = program
        self.names = names
        self.dims = dims
        self.tensors = held_tensors(program)
        self.guards = guards
        self.symbols = symbols
        self.b = builder(symbols, weights)
        self.values = {}
        #: Number of routers by key.
        self.keys = {}
        self.errors = []
        #: Symbols of inputs that must be static.
        self.unknown = set()
        self.is_split = False
        #: Paths of modules that are replaced by others: (theirs, the others'), see
        #: routes.py.
        self.renamed = []

    def run(self, with_conditions=True):
        signature = self.program.graph_signature
        self.specs = dict(zip(_placeholders(self.program.graph), signature.input_specs))
        self.arguments, inputs = self._bind_inputs(self.specs)
        self.symbols.limit(self.dims)
        nodes = self.program.graph.nodes
        rounded = scalars.bind_rounded(self.b, [node.meta.get("val") for node in nodes])
        with substituting({**substitution(), **rounded}):
            return self._run(signature, inputs, with_conditions)

    def _run(self, signature, inputs, with_conditions):
        """Runs the importer after the inputs are bound."""
        self.inputs, self.prologue = self.symbols.bound(), len(self.b.lines)
        for guard in self.guards:
            self._demand(substituted(guard))
        #: The graph that is being visited; those of bodies are in control.py.
        self.module = self.program.graph_module
        self.regions = Regions(self.program.graph)
        self.gathered_matmuls = GatheredMatmuls(self.program.graph)
        self.sorted_rows = SortedRows(self.program.graph)
        self.errors += [f"{_describe(node)}: {error}" for node, error in self.regions.errors]
        for node in self.regions.outermost():
            self.visit(node)
        if self.errors:
            message = "\n".join(dict.fromkeys(self.errors))
            if self.is_split:
                raise registry.SplitError(message)
            raise registry.UnknownError(message, self.unknown)
        results, outputs, mutations = self._results(signature)
        text = self._text(results, with_conditions)
        return Module(text, inputs, outputs, mutations, self.b.draws, self.symbols.demands())

    # ------------------------------------------------------------------------
    # Inputs
    # ------------------------------------------------------------------------

    def _bind_inputs(self, specs):
        """Arguments of the entry function, (value, name), and for each flat input the index
        of its argument."""
        users = [node for node, s in specs.items() if s.kind == InputKind.USER_INPUT]
        metas = {n: n.meta.get("val") for n in users}
        tensors = [n for n in users if isinstance(metas[n], torch.Tensor)]
        names = input_names([n.name for n in tensors])
        for bare in (True, False):
            for node, name in zip(tensors, names):
                self._bind_sizes(name, to_exprs(metas[node].shape), bare)
        arguments, inputs = [], []
        for node in users:
            meta = metas[node]
            if node in tensors:
                # The parts of complex numbers are along a last axis.
                sizes = (*meta.shape, 2) if meta.is_complex() else meta.shape
                value = Value(f"%arg{len(arguments)}", to_exprs(sizes), part_dtype(meta.dtype))
                arguments.append((value, names[tensors.index(node)]))
                self.values[node] = split_parts(self.b, value) if meta.is_complex() else value
            elif isinstance(meta, torch.SymInt) and not self._is_known(to_expr(meta)):
                arguments.append(
                    (self._bind_number(node, to_expr(meta), len(arguments)), node.name)
                )
            else:
                inputs.append(None)
                continue
            inputs.append(len(arguments) - 1)
        return arguments, inputs

    def _bind_sizes(self, name, sizes, bare):
        """First, with `bare`, sizes that are symbols; then those that are linear in one
        symbol."""
        for axis, size in enumerate(sizes):
            if self._is_known(size) or size.is_Symbol != bare:
                continue
            hint = self.names.get((name, axis), f"{name}_d{axis}")
            if bare:
                self.symbols.bind(size, hint)
            elif len(size.free_symbols) == 1:
                self.symbols.bind_linear(size, hint)

    def _is_known(self, size):
        return self.symbols.is_known(size)

    def _bind_number(self, node, number, index):
        """An integer that is an input and not a tensor's size: a scalar, which determines
        the one symbol that has no value yet."""
        value = Value(f"%arg{index}", (), torch.int64)
        if number.is_Symbol:
            self.b.know(number, value, node.name)
            return value
        given = sympy.Dummy(node.name, integer=True)
        self.b.know(given, value, node.name)
        missing = [s for s in number.free_symbols if not self.symbols.is_bound(s)]
        solved = solve(number, missing[0], given) if len(missing) == 1 else None
        if solved is None:
            raise UnsupportedError(
                f"input {node.name}: expected a number that tells one symbol, found {number}"
            )
        self.b.know(missing[0], self.b.scalar(solved, torch.int64))
        self.symbols.require(sympy.Eq(number, given, evaluate=False))
        return value

    # ------------------------------------------------------------------------
    # Nodes
    # ------------------------------------------------------------------------

    def visit(self, node):
        """Builds a node."""
        self.b.location = self.source(node).location()
        if node.op == "placeholder":
            spec = self.specs[node]
            if spec.target in self.tensors and node.users:
                self.values[node] = self._held(self.tensors[spec.target])
        elif node.op == "get_attr":
            held = getattr(self.module, node.target)
            if not isinstance(held, torch.Tensor):
                return  # the body of a branch or loop
            self.values[node] = self._held(held)
        elif node.op == "call_function":
            try:
                self._call(node)
            except (registry.Refused, UnsupportedError) as error:
                self.errors.append(f"{_describe(node)}: {error}")
                self.is_split |= isinstance(error, registry.Split)
                self.unknown |= self._unknown(node, getattr(error, "sizes", ()))
            except Exception as error:
                # A function expected a number and received a symbol.
                unknown = self._unknown(node) if isinstance(error, _OF_SYMBOLS) else None
                if not unknown:
                    error.add_note(f"while dyn imported {_describe(node)}")
                    raise
                self.unknown |= unknown
                numbers = ", ".join(sorted(map(str, unknown)))
                self.errors.append(f"{_describe(node)}: expected static numbers, found {numbers}")

    def _unknown(self, node, sizes=()):
        """The symbols of inputs among these sizes and the numbers that a call takes."""
        metas = [n.meta.get("val") for n in node.all_input_nodes]
        numbers = [to_expr(m) for m in metas if is_number(m)]
        return {s for e in (*numbers, *sizes) for s in e.free_symbols} & self.inputs

    def _held(self, tensor):
        """A constant of the program."""
        value = self.b.tensor(tensor)
        return split_parts(self.b, value) if tensor.is_complex() else value

    def _call(self, node):
        if node.target is operator.getitem and isinstance(node.args[0], torch.fx.Node):
            # PyTorch may report wrong sizes for a result that has no user.
            if node.args[0] in self.values and node.users:
                part = self._part(*node.args)
                self._keep(node, self._matched(part, _meta(node.meta.get("val"))))
            return
        if str(node.target) == registry.CONDITION:
            self._require(*node.args)
            return
        if node in self.regions.ends:
            if calls_complex(node):
                raise registry.Refused("complex numbers do not go into branches and out of them")
            self._keep(node, build_region(self, node))
            return
        build_sorted = self.sorted_rows.get(node)
        if build_sorted is not None:
            self._keep(node, build_sorted(self))
            return
        matmul = self.gathered_matmuls.get(node)
        if matmul is not None:
            self._keep(node, build_matmul(self, node, matmul))
            return
        if node in self.gathered_matmuls.replaced:
            return
        build = control.lookup(node.target)
        if build is not None:
            self._keep(node, build(self, node))
            return
        function = registry.lookup(node.target, calls_complex(node))
        if function is None:
            if str(node.target) in registry.CHECKS or is_number(node.meta.get("val")):
                return  # a number of PyTorch becomes an expression where it is used
            of = " for complex numbers" if registry.lookup(node.target) else ""
            raise registry.Refused(f"operator is not supported{of}")
        if any(_is_missing(n, self.values) for n in operands(node)):
            return  # the failure of its operand has been reported
        if any(isinstance(self.values.get(n), Routes) for n in operands(node)) and not str(
            node.target
        ).startswith("dyn."):
            raise registry.Refused("routes are for functions of dyn alone")
        self.b.out = _meta(node.meta.get("val"))
        self.b.arguments = _promoted_arguments(node)
        args, kwargs = self._arguments(node)
        try:
            result = function(self.b, *args, **kwargs)
        except TypeError as error:
            # Python expected a number and received an expression.
            symbolic = [e for e in pytree.tree_leaves((args, kwargs)) if _is_symbolic(e)]
            if not symbolic:
                raise
            raise registry.Refused(
                f"expected a number that is the same in every call, found {symbolic[0]}"
            ) from error
        self._keep(node, self._matched(result, self.b.out))

    def _matched(self, result, meta):
        """One result of an operator, with PyTorch's sizes."""
        if isinstance(result, Value) and isinstance(meta, Meta):
            return self.b.matched(result, meta.sizes)
        return result

    def _part(self, call, number):
        """One of several results. Those for training are not built."""
        value = self.values[call][number]
        if value is None:
            raise registry.Refused(f"result {number} of {_describe(call)} is not supported")
        return value

    def _keep(self, node, value):
        """Stores a value; None if an operand failed, which has been reported."""
        if value is not None:
            self.values[node] = value

    def source(self, node):
        """The origin of a node, in the branch that is being built."""
        source = source_of(node)
        for old, new in reversed(self.renamed):
            source = source.moved(old, new)
        return source

    def name_of(self, node):
        """The name of a constant of the program, None if the node is not one."""
        if node.op == "get_attr":
            return node.target
        return self.specs[node].target if node.op == "placeholder" else None

    def key(self, node, label):
        """The name of a router in profiles: its module and its label, and its number if
        there are several."""
        key = ":".join(filter(None, (self.source(node).module, label))) or "router"
        count = self.keys[key] = self.keys.get(key, 0) + 1
        return key if count == 1 else f"{key}#{count}"

    def _arguments(self, node):
        """Arguments, by position as far as the schema defines them so."""
        args = [self.argument(a) for a in node.args]
        kwargs = {name: self.argument(a) for name, a in node.kwargs.items()}
        return args, kwargs

    def argument(self, a):
        """Converts an argument of a node for functions of operators."""
        if isinstance(a, torch.fx.Node):
            if a in self.values and not isinstance(a.meta["val"], torch.SymFloat):
                return self.values[a]
            a = a.meta["val"]
            if isinstance(a, torch.Tensor):
                return None  # not needed, see operands()
            return a if isinstance(a, float) else to_expr(a)
        if isinstance(a, (list, tuple)):
            return [self.argument(x) for x in a]
        return a

    def _require(self, condition, message=""):
        """An assertion on sizes or on data."""
        known, value = None, condition
        if isinstance(condition, torch.fx.Node):
            known, value = self.values.get(condition), condition.meta["val"]
        if isinstance(known, Value):
            self.b.check(control.boolean_of(self.b, known), message)
        elif isinstance(value, torch.SymBool):
            expression = substituted(value.node.expr)
            if scalars.is_of_numbers(self.b, expression):
                self.b.check(scalars.boolean(self.b, expression), message)
            elif self._is_known(expression):
                self._demand(expression)

    def _demand(self, relation):
        """Adds a condition that calls must satisfy. Floats in it are computed as PyTorch
        does."""
        if scalars.has_floats(relation):
            self.b.check(scalars.boolean(self.b, relation), self.symbols.describe(relation))
        else:
            self.symbols.require(relation)

    # ------------------------------------------------------------------------
    # Outputs and text
    # ------------------------------------------------------------------------

    def _results(self, signature):
        """Results of the entry function, (value, name), the flat outputs, and which inputs
        change."""
        (node,) = [n for n in self.program.graph.nodes if n.op == "output"]
        names = iter(output_names(self.program))
        users = [s.arg.name for s in signature.input_specs if s.kind == InputKind.USER_INPUT]
        results, outputs, mutations = [], [], {}
        for spec, result in zip(signature.output_specs, node.args[0]):
            if spec.kind == OutputKind.BUFFER_MUTATION:
                raise UnsupportedError(
                    f"the model changes its buffer '{spec.target}', which is a constant here: "
                    "make it an input and an output, or call the model's eval()"
                )
            if spec.kind == OutputKind.TOKEN:
                continue  # the order of effects
            name = f"new_{spec.target}"
            if spec.kind == OutputKind.USER_OUTPUT:
                name = next(names)
            elif spec.kind != OutputKind.USER_INPUT_MUTATION:
                raise UnsupportedError(f"an output of kind {spec.kind.name} is not supported")
            value, port = self._result(result, len(results))
            if value is not None:
                results.append((value, name))
            if spec.kind == OutputKind.USER_OUTPUT:
                outputs.append(port)
            else:
                mutations[users.index(spec.target)] = port.index
        return results, outputs, mutations

    def _result(self, result, index):
        """A flat output: its value, None if it is a constant, and its port."""
        if isinstance(result, torch.fx.Node):
            value = self.values.get(result)
            result = result.meta["val"]
            if isinstance(value, Complex):
                return view_as_real(self.b, value), Port(index, complex)
            if isinstance(value, Value) and isinstance(result, torch.Tensor):
                return value, Port(index)
        if type(result) in _NUMBERS:
            return scalars.number(self.b, result), Port(index, _NUMBERS[type(result)])
        return None, result

    def _text(self, results, with_conditions):
        b = self.b
        arguments = ", ".join(f"{v}: {b.type_of(v)} {_named(name)}" for v, name in self.arguments)
        types = ", ".join(b.type_of(v) for v, _ in results)
        named = ", ".join(f"{b.type_of(v)} {_named(name)}" for v, name in results)
        # Types and conditions declare sizes, so the declarations are computed last.
        before, after = emit_conditions(self.symbols, self.inputs) if with_conditions else ([], [])
        binds, operations = b.lines[: self.prologue], b.lines[self.prologue :]
        body = "\n".join([*binds, *before, *operations, *after])
        returned = f"{', '.join(str(v) for v, _ in results)} : {types}" if results else ""
        declarations = "\n".join(self.symbols.declarations())
        return (
            f"{declarations}\n\nfunc.func @main({arguments})\n    -> ({named}) "
            f"attributes {{dhlo.entry}} {{\n{body}\n  return {returned}\n}}\n"
        )


#: Exceptions of Python and sympy for a symbol without a value.
_OF_SYMBOLS = (TypeError, ValueError, IndexError, AttributeError)
_NUMBERS = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}


def _named(name):
    return f'{{dhlo.name = "{name}"}}'


def _placeholders(graph):
    return [node for node in graph.nodes if node.op == "placeholder"]


def held_tensors(program):
    """Parameters, buffers and constants by their names in specs."""
    tensors = {**program.state_dict, **program.constants}
    for path, module in program.graph_module.named_modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in module.graph.find_nodes(op="get_attr"):
                name = f"{path}.{node.target}" if path else node.target
                tensors[name] = getattr(module, node.target)
    return {n: t for n, t in tensors.items() if isinstance(t, torch.Tensor)}


def _describe(node):
    """The name of a call in messages: "aten.det.default (model.py:12 in forward)"."""
    name = str(node.target)
    if not isinstance(node.target, torch._ops.OpOverload):
        name = getattr(node.target, "__name__", name)
    return f"{name} ({source_of(node)})"


def _is_missing(node, values):
    """Whether a tensor has no value because its own import failed."""
    return node not in values and node.op != "get_attr" and not is_number(node.meta.get("val"))


def _is_symbolic(value):
    return isinstance(value, sympy.Basic) and not value.is_number


def _meta(value):
    if isinstance(value, torch.Tensor):
        return Meta.of(value)
    if isinstance(value, (list, tuple)):
        return tuple(_meta(v) for v in value)
    return value


def _promoted_arguments(node):
    """The first two arguments as PyTorch's type promotion sees them."""
    found = [a.meta.get("val") if isinstance(a, torch.fx.Node) else a for a in node.args[:2]]
    return tuple(found)
