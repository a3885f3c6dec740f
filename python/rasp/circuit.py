"""What a compiled model is made of: the document of docs/circuit.md, read from the library."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Tuple, Union

from ._lib import ffi, lib, need, text_of

NONE = 0xFFFFFFFF  # RASP_NONE
MOST_VALUES = 4096  # longer lists of values are counted only


def _form(form: Any) -> Dict[str, Any]:
    terms = [[form.terms[k].column, form.terms[k].factor] for k in range(form.count)]
    return {"terms": terms, "constant": form.constant}


def _span(place: Any) -> Optional[List[Any]]:
    source = text_of(place.source)
    if source is None:
        return None
    return [source.rsplit("/", 1)[-1], place.line, place.column, place.end_line, place.end_column]


def _present(**keys: Any) -> Dict[str, Any]:
    """A key that does not apply is absent."""
    return {key: value for key, value in keys.items() if value is not None}


def _index(value: int) -> Optional[int]:
    return None if value == NONE else value


def _sop(s: Any) -> Dict[str, Any]:
    return _present(
        name=text_of(s.name),
        text=text_of(s.text),
        span=_span(s.place),
        kind="selector" if s.selector else "s-op",
        type=text_of(lib.rasp_type_name(s.type)) if s.type >= 0 else None,
        value_count=s.value_count or None,
        columns=None if s.selector else list(s.columns[0 : s.column_count]),
    )


def _step(s: Any) -> Dict[str, Any]:
    if s.sublayer == -2:
        return {"after": "embedding"}
    if s.sublayer == -1:
        return {"after": "heads", "layer": s.layer}
    return {"after": "sublayer", "layer": s.layer, "sublayer": s.sublayer}


def _column(c: Any) -> Dict[str, Any]:
    has_values = c.values != ffi.NULL
    return _present(
        sop=c.sop,
        node=c.node,
        dim=_index(c.dim),
        written=c.written,
        read=c.read,
        cleared=_index(c.cleared),
        writes=[[c.writes[k].dim, c.writes[k].factor] for k in range(c.write_count)],
        least=c.least,
        most=c.most,
        value_count=c.value_count if has_values else None,
        values=list(c.values[0 : c.value_count])
        if has_values and c.value_count <= MOST_VALUES
        else None,
        embedded=list(c.embedded[0 : c.embedded_count]) if c.embedded != ffi.NULL else None,
    )


def _head(c: Any, index: int) -> Dict[str, Any]:
    h = c.heads[index]
    parts = (h.components[k] for k in range(h.component_count))
    return dict(
        layer=h.layer,
        head=h.head,
        selector=h.selector,
        mask=text_of(h.mask),
        result=text_of(h.result),
        single=bool(h.single),
        beta=h.beta,
        pairs=[
            {"key": _form(h.pairs[k].key), "query": _form(h.pairs[k].query)}
            for k in range(h.pair_count)
        ],
        key=_form(h.key),
        query=_form(h.query),
        components=[
            _present(
                sop=p.sop,
                column=p.column,
                value=_form(p.value),
                default=p.fallback if h.defaults else None,
                moves=bool(p.moves),
            )
            for p in parts
        ],
    )


def _table(c: Any, index: int) -> Dict[str, Any]:
    t = c.tables[index]
    functions = (t.functions[k] for k in range(t.function_count))
    return dict(
        layer=t.layer,
        sublayer=t.sublayer,
        first_unit=t.first_unit,
        units=t.unit_count,
        reads=t.reads,
        x=_form(t.x),
        bends=[[t.units[k].at, t.units[k].sign] for k in range(t.unit_count)],
        functions=[
            dict(
                sop=f.sop,
                column=f.column,
                base=f.base,
                factors=list(f.factors[0 : t.unit_count]),
                entries=[[f.entries[k].x, f.entries[k].value] for k in range(f.entry_count)],
            )
            for f in functions
        ],
    )


def _clear(c: Any, index: int) -> Dict[str, Any]:
    k = c.clears[index]
    return dict(layer=k.layer, sublayer=k.sublayer, unit=k.unit, column=k.column, least=k.least)


def _output(c: Any, index: int) -> Dict[str, Any]:
    o = c.outputs[index]
    return dict(
        output=index,
        name=text_of(o.name),
        sop=o.sop,
        start=o.start,
        forms=[_form(o.forms[k]) for k in range(o.form_count)],
    )


DETAILS = {"head": _head, "table": _table, "clear": _clear, "output": _output}


def _node(c: Any, node: Any) -> Dict[str, Any]:
    kind = text_of(lib.rasp_circuit_kind_name(node.kind)) or ""
    common = dict(kind=kind, step=node.step, columns=list(node.columns[0 : node.column_count]))
    return {**common, **(DETAILS[kind](c, node.index) if kind in DETAILS else {})}


def _edge(edge: Any) -> Dict[str, Any]:
    return {
        "from": getattr(edge, "from"),
        "to": edge.to,
        "column": edge.column,
        "role": text_of(lib.rasp_role_name(edge.role)),
        "changes": list(edge.changes[0 : edge.change_count]),
    }


class Circuit:
    """The ground truth: nodes write columns, edges say who reads them.

    `document` is the circuit file (docs/circuit.md); `sops`, `steps`, `columns`, `nodes` and
    `edges` are its lists, which refer to one another by index.  Each node also has a `label`
    here, its component in a transformer's terms: "tokens", "positions", "head 0.1", "mlp 0.0",
    "output NAME" (layers and the rest count from 0).
    """

    def __init__(self, document: Dict[str, Any]) -> None:
        self.document = document
        self.sops: List[Dict[str, Any]] = document["sops"]
        self.steps: List[Dict[str, Any]] = document["steps"]
        self.columns: List[Dict[str, Any]] = document["columns"]
        self.nodes: List[Dict[str, Any]] = document["nodes"]
        self.edges: List[Dict[str, Any]] = document["edges"]

    @classmethod
    def read(cls, c: Any, model: Any) -> "Circuit":
        """Of a RaspCircuit *, while nobody else is in the library with its model."""

        def outputs() -> List[Dict[str, Any]]:
            keys = ("name", "decode", "start", "values", "places")
            return [
                {key: entry[key] for key in keys if key in entry} for entry in model.info["outputs"]
            ]

        document = _present(
            format="rasp-circuit/2",
            program=model.name,
            alphabet=model.alphabet,
            max_length=model.max_length,
            width=c.width,
            one=_index(c.one),
            sink=_index(c.sink),
            outputs=outputs(),
            sops=[_sop(c.sops[k]) for k in range(c.sop_count)],
            steps=[_step(c.steps[k]) for k in range(c.step_count)],
            columns=[_column(c.columns[k]) for k in range(c.column_count)],
            nodes=[_node(c, c.nodes[k]) for k in range(c.node_count)],
            edges=[_edge(c.edges[k]) for k in range(c.edge_count)],
        )
        return cls(document)

    def json(self, path: Union[str, "os.PathLike[str]", None] = None) -> str:
        """The circuit file's text; written to `path`, if there is one."""
        text = json.dumps(self.document, ensure_ascii=False, indent=1)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "\n")
        return text

    def sop_text(self, index: int) -> str:
        """An s-op by its name, else in source form."""
        return self.sops[index].get("name") or self.sops[index]["text"]

    def label(self, node: int) -> str:
        """The component of a transformer that a node is, or is a part of."""
        n = self.nodes[node]
        if n["kind"] == "head":
            return f"head {n['layer']}.{n['head']}"
        if n["kind"] in ("table", "clear"):
            return f"mlp {n['layer']}.{n['sublayer']}"
        return f"output {n['name']}" if n["kind"] == "output" else n["kind"]

    def component_edges(self, roles: bool = False) -> set:
        """Who reads whom among components: (from, to) by label, or (from, to, role).  Units that
        clear a dimension carry nothing and are left out, as are reads within one sublayer."""
        found = set()
        for edge in self.edges:
            if edge["role"] == "clear":
                continue
            pair: Tuple[str, ...] = (self.label(edge["from"]), self.label(edge["to"]))
            if pair[0] != pair[1]:
                found.add(pair + (edge["role"],) if roles else pair)
        return found

    def spans(self, node: int) -> List[List[Any]]:
        """Where the program says what a node computes: [file, line, column, line, column]."""
        n = self.nodes[node]
        sops = [self.columns[k]["sop"] for k in n["columns"]] + ([n["sop"]] if "sop" in n else [])
        sops += [n["selector"]] if "selector" in n else []
        found = [self.sops[k]["span"] for k in sops if "span" in self.sops[k]]
        return [span for k, span in enumerate(found) if span not in found[:k]]

    def networkx(self) -> Any:
        """A networkx.MultiDiGraph (a DiGraph): nodes by their index, with all keys of the document,
        `label`, `sops` and `spans`; an edge for each reading, with `role`, `column`, `sop`."""
        nx = need("networkx", "Circuit.networkx()")
        graph = nx.MultiDiGraph(program=self.document["program"])
        for k, node in enumerate(self.nodes):
            sops = [self.sop_text(self.columns[c]["sop"]) for c in node["columns"]]
            graph.add_node(k, **node, label=self.label(k), sops=sops, spans=self.spans(k))
        for edge in self.edges:
            sop = self.sop_text(self.columns[edge["column"]]["sop"])
            graph.add_edge(
                edge["from"],
                edge["to"],
                role=edge["role"],
                column=edge["column"],
                sop=sop,
                changes=edge["changes"],
            )
        return graph

    def __repr__(self) -> str:
        return (
            f"<rasp.Circuit of {self.document['program']}: {len(self.nodes)} nodes, "
            f"{len(self.edges)} edges>"
        )
