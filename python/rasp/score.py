"""A set of edges that a method found, beside a circuit that is known."""

from __future__ import annotations

from typing import Any, Iterable, NamedTuple, Sequence, Set, Tuple

from ._lib import UseError


class Score(NamedTuple):
    """Edges found, of those that there are: precision = right / found, recall = right / true."""

    precision: float
    recall: float
    right: Set[Tuple[Any, ...]]
    extra: Set[Tuple[Any, ...]]  # found, and not there
    missed: Set[Tuple[Any, ...]]

    @property
    def f1(self) -> float:
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.2f}, recall {self.recall:.2f} "
            f"({len(self.right)} right, {len(self.extra)} extra, {len(self.missed)} missed)"
        )


def _true_edges(circuit: Any, by_node: bool, roles: bool) -> Set[Tuple[Any, ...]]:
    if not by_node:
        return circuit.component_edges(roles)
    return {
        (e["from"], e["to"], e["role"]) if roles else (e["from"], e["to"])
        for e in circuit.edges
        if e["role"] != "clear"
    }


def score(edges: Iterable[Sequence[Any]], model: Any) -> Score:
    """Precision and recall of a set of edges (from, to) or (from, to, role) in the circuit of the
    model (or in a Circuit).  Ends are indices of its nodes, or the labels of components: "tokens",
    "positions", "head L.H", "mlp L.M", "output NAME", counted from 0; roles "query", "key",
    "value", "input", "output".  An edge given twice counts once.  Nothing found has precision 1.
    """
    circuit = getattr(model, "circuit", model)
    found = {tuple(edge) for edge in edges}
    lengths, kinds = {len(edge) for edge in found}, {type(end) for e in found for end in e[:2]}
    if len(lengths) > 1 or lengths - {2, 3} or len(kinds) > 1 or kinds - {int, str}:
        raise UseError(
            "expected edges (from, to) or (from, to, role), all of one length, between "
            f"indices of nodes or labels of components, found {sorted(map(str, found))[:3]}"
        )
    roles, by_node = lengths == {3}, kinds == {int}
    ends = set(range(len(circuit.nodes))) if by_node else _components(circuit)
    strange = {end for e in found for end in e[:2]} - ends
    if strange:
        there = sorted({circuit.label(k) for k in range(len(circuit.nodes))})
        raise UseError(
            f"no such {'nodes' if by_node else 'components'}: "
            f"{', '.join(sorted(map(str, strange)))}; "
            f"there are {f'0 to {len(ends) - 1}' if by_node else ', '.join(there)}"
        )
    true = _true_edges(circuit, by_node, roles)
    right = found & true
    return Score(
        len(right) / len(found) if found else 1.0,
        len(right) / len(true) if true else 1.0,
        right,
        found - true,
        true - found,
    )


def _components(circuit: Any) -> Set[str]:
    labels = {circuit.label(k) for k in range(len(circuit.nodes))}
    # A method may well name a piece that does nothing: padding of the standard layout.
    layers = [step.get("layer", 0) for step in circuit.steps]
    heads = {f"head {layer}.{h}" for layer in layers for h in range(64)}
    mlps = {f"mlp {s['layer']}.{s['sublayer']}" for s in circuit.steps if "sublayer" in s}
    return labels | {"tokens", "positions"} | heads | mlps
