# ===- graphs.py - Graphs, sets and clouds of points -----------------------===#
# Part of dyn, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks on graphs, whose nodes and edges are dynamic; messages are gathered along edges
and summed at nodes. Networks on sets and clouds of points."""

import functools

from models.zoo import draws
from models.zoo.entry import Entry, Input, register

SHAPES = (
    {"nodes": 500, "edges": 2000},
    {"nodes": 2000, "edges": 8003},
    {"nodes": 1201, "edges": 12000},
)
CLOUDS = (
    {"batch": 1, "points": 512},
    {"batch": 2, "points": 700},
    {"batch": 4, "points": 256},
)


def below(rng, shape, limit):
    return rng.integers(0, limit, shape)


def graph(family, build, *arguments, ports=(), **fields):
    """Registers a network on features of nodes and pairs of nodes. Nodes that edges join
    are among the first 500, which all shapes have."""
    edges = [Input(name, ("edges",), functools.partial(below, limit=500))
             for name in ("source", "target")]  # fmt: skip
    ports = (draws.floats("x", "nodes", 64), *edges, *ports)
    register(Entry(family, family, functools.partial(build, *arguments), ports, SHAPES, **fields))


def cloud(family, build, *arguments, channels=3, **fields):
    ports = (draws.floats("points", "batch", "points", channels),)
    build = functools.partial(build, *arguments)
    register(Entry(family, family, build, ports, CLOUDS, **fields))


def summed(messages, target, nodes):
    """Sums of messages by their target."""
    import torch

    zeros = torch.zeros(nodes, messages.shape[1], dtype=messages.dtype)
    return zeros.index_add(0, target, messages)


def perceptron(*widths):
    from torch import nn

    layers = [layer for a, b in zip(widths, widths[1:]) for layer in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1])


def convolutional_graph(kind, width, layers):
    """GCN, normalised by degrees; GraphSAGE, means of adjacent nodes; GIN, sums and a
    perceptron; gated (GGNN), a GRU of messages."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self, inputs):
            super().__init__()
            self.own, self.others = nn.Linear(inputs, width), nn.Linear(inputs, width)
            self.mlp = perceptron(inputs, width, width)
            self.cell = nn.GRUCell(width, width)

        def forward(self, x, source, target, degree):
            if kind == "gcn":
                scale = degree.rsqrt()
                messages = (scale * self.others(x))[source]
                return torch.relu(scale * summed(messages, target, x.shape[0]) + self.own(x))
            if kind == "sage":
                return torch.relu(
                    self.own(x) + self.others(summed(x[source], target, x.shape[0]) / degree)
                )
            if kind == "gin":
                return self.mlp(x + summed(x[source], target, x.shape[0]))
            return self.cell(summed(self.others(x)[source], target, x.shape[0]), x)

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(64, width)
            self.layers = nn.ModuleList(Layer(width) for _ in range(layers))
            self.head = nn.Linear(width, 10)

        def forward(self, x, source, target):
            ones = torch.ones(target.shape[0], 1, dtype=x.dtype)
            degree = summed(ones, target, x.shape[0]) + 1
            x = self.first(x)
            for layer in self.layers:
                x = layer(x, source, target, degree)
            return self.head(x)

    return Network()


def attentive_graph(width, heads, layers, second):
    """GAT: a softmax over the edges of each node; `second` scores after the activation."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.lift = nn.Linear(width, width)
            self.score = nn.Parameter(torch.randn(heads, width // heads) / 8)
            self.other = nn.Parameter(torch.randn(heads, width // heads) / 8)

        def forward(self, x, source, target):
            h = self.lift(x).unflatten(1, (heads, -1))
            if second:
                score = (nn.functional.leaky_relu(h[source] + h[target], 0.2) * self.score).sum(-1)
            else:
                score = (h * self.score).sum(-1)[source] + (h * self.other).sum(-1)[target]
                score = nn.functional.leaky_relu(score, 0.2)
            weight = torch.exp(score.clamp(max=20))
            total = summed(weight, target, x.shape[0])[target]
            messages = (weight / total).unsqueeze(-1) * h[source]
            return x + nn.functional.elu(summed(messages.flatten(1), target, x.shape[0]))

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.head = nn.Linear(64, width), nn.Linear(width, 10)
            self.layers = nn.ModuleList(Layer() for _ in range(layers))

        def forward(self, x, source, target):
            x = self.first(x)
            for layer in self.layers:
                x = layer(x, source, target)
            return self.head(x)

    return Network()


def message_passing(width, layers, maximum):
    """MPNN: a perceptron of both ends and of the edge; sums or maxima of messages."""
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.head = nn.Linear(64, width), nn.Linear(width, 1)
            self.edges = nn.ModuleList(
                perceptron(2 * width + 8, width, width) for _ in range(layers)
            )
            self.nodes = nn.ModuleList(perceptron(2 * width, width, width) for _ in range(layers))

        def forward(self, x, source, target, features):
            x = self.first(x)
            for edge, node in zip(self.edges, self.nodes):
                message = edge(torch.cat([x[source], x[target], features], 1))
                if maximum:
                    index = target.unsqueeze(1).expand_as(message)
                    total = torch.zeros_like(x).scatter_reduce(0, index, message, "amax")
                else:
                    total = summed(message, target, x.shape[0])
                x = x + node(torch.cat([x, total], 1))
            return self.head(x).sum(0)

    return Network()


def relational(width, layers):
    """R-GCN: a matrix for each of four relations, sums of bases."""
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.head = nn.Linear(64, width), nn.Linear(width, 10)
            self.bases = nn.Parameter(torch.randn(layers, 3, width, width) / width**0.5)
            self.mix = nn.Parameter(torch.randn(layers, 4, 3) / 2)

        def forward(self, x, source, target, relation):
            x = self.first(x)
            for bases, mix in zip(self.bases, self.mix):
                matrices = (mix @ bases.flatten(1)).unflatten(1, (width, width))
                all_messages = torch.stack([x @ matrix for matrix in matrices.unbind(0)])
                x = x + torch.relu(summed(all_messages[relation, source], target, x.shape[0])) / 4
            return self.head(x)

    return Network()


def continuous_filter(width, layers):
    """SchNet: filters from distances, by Gaussians."""
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.head = nn.Linear(64, width), perceptron(width, width // 2, 1)
            self.register_buffer("centres", torch.linspace(0, 5, 32))
            self.filters = nn.ModuleList(
                nn.Sequential(nn.Linear(32, width), nn.Softplus(), nn.Linear(width, width))
                for _ in range(layers)
            )
            self.mix = nn.ModuleList(
                nn.Sequential(nn.Linear(width, width), nn.Softplus(), nn.Linear(width, width))
                for _ in range(layers)
            )

        def forward(self, x, source, target, position):
            offset = position[source] - position[target]
            distance = (offset.square().sum(1, keepdim=True) + 1e-6).sqrt()
            basis = torch.exp(-10 * (distance - self.centres).square())
            x = self.first(x)
            for filters, mix in zip(self.filters, self.mix):
                x = x + mix(summed(x[source] * filters(basis), target, x.shape[0]) / 4)
            return self.head(x).sum(0)

    return Network()


def equivariant(width, layers):
    """EGNN: positions move along edges by weights of messages."""
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(64, width)
            self.edges = nn.ModuleList(
                perceptron(2 * width + 1, width, width) for _ in range(layers)
            )
            self.moves = nn.ModuleList(nn.Linear(width, 1) for _ in range(layers))
            self.nodes = nn.ModuleList(perceptron(2 * width, width, width) for _ in range(layers))

        def forward(self, x, source, target, position):
            x = self.first(x)
            for edge, move, node in zip(self.edges, self.moves, self.nodes):
                offset = position[source] - position[target]
                square = offset.square().sum(1, keepdim=True)
                message = edge(torch.cat([x[source], x[target], square], 1))
                step = offset * torch.tanh(move(message)) / (square.sqrt() + 1)
                position = position + summed(step, target, x.shape[0]) / 8
                x = x + node(torch.cat([x, summed(message, target, x.shape[0]) / 4], 1))
            return x, position

    return Network()


def pointnet(width):
    """PointNet: a perceptron of each point, a maximum, and both for each point."""
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.move = perceptron(3, 64, 128)
            self.matrix = nn.Linear(128, 9)
            self.points = perceptron(3, 64, 128, width)
            self.head = perceptron(2 * width, 256, 10)

        def forward(self, points):
            moves = self.matrix(self.move(points).amax(1)).unflatten(1, (3, 3))
            x = self.points(points @ moves)
            whole = x.amax(1, keepdim=True).expand_as(x)
            return self.head(torch.cat([x, whole], 2))

    return Network()


def nearest(width, layers):
    """DGCNN: messages of the eight nearest points, found again at each layer."""
    import torch
    from torch import nn

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            widths = [3] + [width] * layers
            self.edges = nn.ModuleList(perceptron(2 * a, b, b) for a, b in zip(widths, widths[1:]))
            self.head = perceptron(width * layers, 256, 10)

        def forward(self, points):
            x, found = points, []
            for edge in self.edges:
                square = x.square().sum(2)
                distance = square[:, :, None] + square[:, None] - 2 * x @ x.transpose(1, 2)
                near = distance.topk(8, 2, largest=False).indices
                rows = torch.arange(x.shape[0])[:, None, None]
                others = x[rows, near]
                own = x.unsqueeze(2).expand_as(others)
                x = edge(torch.cat([own, others - own], 3)).amax(2)
                found.append(x)
            return self.head(torch.cat(found, 2).amax(1))

    return Network()


def principal(width, layers):
    """PNA: means, extremes and deviations of messages, scaled by the degrees of nodes; one
    number for the graph."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.message, self.update = nn.Linear(2 * width, width), nn.Linear(13 * width, width)

        def forward(self, x, source, target):
            messages = self.message(torch.cat([x[target], x[source]], 1))
            nodes, zeros = x.shape[0], torch.zeros_like(x)
            degree = summed(torch.ones_like(messages[:, :1]), target, nodes).clamp(min=1)
            mean = summed(messages, target, nodes) / degree
            square = summed(messages * messages, target, nodes) / degree
            by, found = target[:, None].expand_as(messages), [mean]
            for kind in ("amax", "amin"):
                found.append(zeros.scatter_reduce(0, by, messages, kind, include_self=False))
            found.append((torch.relu(square - mean * mean) + 1e-5).sqrt())
            y, scale = torch.cat(found, 1), torch.log(degree + 1)
            return x + torch.relu(self.update(torch.cat([x, y, y * scale, y / scale], 1)))

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.head = nn.Linear(64, width), nn.Linear(width, 1)
            self.layers = nn.ModuleList(Layer() for _ in range(layers))

        def forward(self, x, source, target):
            x = self.first(x)
            for layer in self.layers:
                x = layer(x, source, target)
            return self.head(x.mean(0))

    return Network()


def sets(width, kind):
    """DeepSets: sums of a perceptron; or a set transformer, with induced points."""
    import torch
    from torch import nn

    class Attend(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(width, 4, batch_first=True)
            self.mlp = perceptron(width, 2 * width, width)

        def forward(self, x, y):
            x = x + self.attention(x, y, y, need_weights=False)[0]
            return x + self.mlp(x)

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.head = perceptron(3, width, width), perceptron(width, width, 10)
            self.more = perceptron(width, width, width)
            self.induced = nn.Parameter(torch.randn(2, 16, width))
            self.inward = nn.ModuleList(Attend() for _ in range(2))
            self.outward = nn.ModuleList(Attend() for _ in range(2))

        def forward(self, points):
            x = self.first(points)
            if kind == "sum":
                return self.head(self.more(torch.relu(x)).mean(1))
            for induced, inward, outward in zip(self.induced, self.inward, self.outward):
                few = inward(induced.expand(x.shape[0], -1, -1), x)
                x = outward(x, few)
            return self.head(x.mean(1))

    return Network()


POSITION = draws.floats("position", "nodes", 3)
RELATION = draws.ids("relation", "edges", low=0, high=4)
graph("gcn", convolutional_graph, "gcn", 128, 4)
graph("graphsage", convolutional_graph, "sage", 128, 4)
graph("gin", convolutional_graph, "gin", 128, 4)
graph("ggnn", convolutional_graph, "gated", 96, 3)
graph("gat", attentive_graph, 128, 4, 3, False)
graph("gatv2", attentive_graph, 128, 4, 3, True)
graph("mpnn", message_passing, 96, 2, False, ports=(draws.floats("features", "edges", 8),))
graph("mpnn-max", message_passing, 96, 2, True, ports=(draws.floats("features", "edges", 8),))
graph("rgcn", relational, 96, 3, ports=(RELATION,))
graph("schnet", continuous_filter, 96, 3, ports=(POSITION,))
graph("egnn", equivariant, 96, 3, ports=(POSITION,))
graph("pna", principal, 96, 3)
cloud("pointnet", pointnet, 256)
cloud("dgcnn", nearest, 64, 2)
cloud("deepsets", sets, 256, "sum")
cloud("set-transformer", sets, 192, "attention")
