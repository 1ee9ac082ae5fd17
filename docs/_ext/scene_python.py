"""A scene as Python: the calls that build the document of a scene file, for the gallery."""

import json
from dataclasses import dataclass
from typing import Any

from ropewalk import curves, functions, joints, sections, shapes
from ropewalk._part import Part

Document = dict[str, Any]
WIDTH = 110
SETTINGS = {"title": "title", "gravity": "gravity", "seed": "seed"}
# What kinds of parts stand at a key, with the module of their classes.
MODULES = {
    "curve": curves,
    "section": sections,
    "shape": shapes,
    "joint": joints,
    "target": functions,
    "scale": functions,
    "angle": functions,
}
ROTATIONS = {"rpy": "Rpy", "quat_xyzw": "QuatXyzw"}


@dataclass
class Code:
    """A piece of Python with parts in brackets, which is broken into lines where it is too long."""

    opening: str
    parts: list["tuple[str, Code | str]"]
    closing: str

    def text(self, indent: int = 0, lead: int = 0) -> str:
        """The source; its first line has `lead` characters before it."""
        inside = [prefix + (part if isinstance(part, str) else part.text()) for prefix, part in self.parts]
        flat = self.opening + ", ".join(inside) + self.closing
        if len(flat) + lead + indent <= WIDTH and "\n" not in flat:
            return flat
        lines = [self.opening]
        for prefix, part in self.parts:
            source = part if isinstance(part, str) else part.text(indent + 4, len(prefix) + 1)
            lines.append(" " * (indent + 4) + prefix + source + ",")
        return "\n".join([*lines, " " * indent + self.closing])


def quoted(text: str) -> str:
    """A string as this package's sources write it."""
    return json.dumps(text, ensure_ascii=False)


class _Writer:
    def __init__(self) -> None:
        self.used: dict[str, set[str]] = {"ropewalk": {"World"}}

    def use(self, module: str, name: str) -> str:
        """Takes a name to import."""
        self.used.setdefault(module, set()).add(name)
        return name

    def call(self, name: str, first: "list[Code | str]", keys: Document, context: str = "") -> Code:
        parts: list[tuple[str, Code | str]] = [("", part) for part in first]
        for key, value in keys.items():
            word = f"{key}_" if key in ("from",) else key
            parts.append((f"{word}=", self.value(value, key, context)))
        return Code(f"{name}(", parts, ")")

    def value(self, value: Any, key: str = "", context: str = "") -> "Code | str":
        """A value of a scene file that stands at `key` of a table of the kind `context`."""
        if isinstance(value, dict):
            return self.table(value, key, context)
        if isinstance(value, list):
            return Code("[", [("", self.item(item, key, context)) for item in value], "]")
        if key == "shape" and value == "half_space":
            return f"{self.use('ropewalk', 'shapes')}.HalfSpace()"
        return quoted(value) if isinstance(value, str) else repr(value)

    def item(self, value: Any, key: str, context: str) -> "Code | str":
        """An entry of an array."""
        if key == "shapes":
            return self.call(f"{self.use('ropewalk', 'shapes')}.Placed", [], value)
        if key == "pieces":
            return self.call(self.use("ropewalk", "Piece"), [], value)
        if key == "rotations":
            return self.value(value, "rotation", context)
        if key == "translation":
            return self.value(value, "target", context)
        return self.value(value, "", context)

    def table(self, value: Document, key: str, context: str) -> "Code | str":
        """A table: a class of the package where there is one, else a dictionary."""
        if key.endswith("rotation"):
            return self.rotation(value)
        if key == "motion":
            return self.motion(value, context)
        named = {"rest": "NaturalShape", "random": "RandomShape", "copies": "Copies"}.get(key)
        if named is not None:
            return self.call(self.use("ropewalk", named), [], value)
        if key in MODULES and len(value) == 1:
            ((tag, keys),) = value.items()
            module = MODULES[key]
            name = module.__name__.rsplit(".", 1)[-1]
            if tag in ("nodes", "points") and key == "curve":
                kind = "Nodes" if tag == "nodes" else "PointsFile"
                return Code(f"{self.use('ropewalk', name)}.{kind}(", [("", self.value(keys))], ")")
            kind = next(kind for kind, found in vars(module).items() if getattr(found, "_tag", None) == tag and issubclass(found, Part))
            return self.call(f"{self.use('ropewalk', name)}.{kind}", [], keys)
        inner = "target" if key == "targets" else ""
        return Code("{", [(f"{quoted(name)}: ", self.value(entry, inner, context)) for name, entry in value.items()], "}")

    def rotation(self, value: Document) -> Code:
        ((tag, given),) = value.items()
        module = self.use("ropewalk", "rotations")
        if tag == "axis_angle":
            parts: list[tuple[str, Code | str]] = [("", self.value(given["axis"])), ("", self.value(given["angle"]))]
            return Code(f"{module}.AxisAngle(", parts, ")")
        return Code(f"{module}.{ROTATIONS[tag]}(", [("", self.value(given))], ")")

    def motion(self, value: Document, context: str) -> Code:
        if "key_frames" in value:
            return self.call(self.use("ropewalk", "KeyFrames"), [], value["key_frames"], context)
        return self.call(self.use("ropewalk", "Motion"), [], value.get("driven", value), context)

    def thing(self, kind: str, name: str, keys: Document) -> Code:
        """What adds a rod, a body and so on."""
        keys = dict(keys)
        if kind == "material":
            made = self.call(self.use("ropewalk", "Material"), [], keys)
            return Code("world.add_material(", [("", quoted(name)), ("", made)], ")")
        if kind == "claim":
            return self.call("world.add_claim", [quoted(name), self.value(keys.pop("measure"))], keys, "claim")
        if kind == "attach":
            first = {key: keys.pop(key) for key in ("rod", "body", "robot", "link") if key in keys}
            ends = [self.value(first), self.value(keys.pop("to"))]
            return self.call("world.add_attachment", [quoted(name), quoted(keys.pop("kind")), *ends], keys, kind)
        return self.call(f"world.add_{kind}", [quoted(name)], keys, kind)


def code(document: Document) -> str:
    """The Python that builds a scene with this document."""
    writer = _Writer()
    settings = {key: document[key] for key in SETTINGS if key in document} | document.get("time", {})
    lines = ["world = " + writer.call("World", [], settings).text(0, 8)]
    for kind, entries in document.items():
        if kind in SETTINGS or kind == "time":
            continue
        if kind in ("contact", "solver", "output"):
            lines.append(writer.call(f"world.set_{kind}", [], entries).text())
            continue
        lines += [writer.thing(kind, name, keys).text() for name, keys in entries.items()]
    imports = [f"from {module} import {', '.join(sorted(names, key=str.lower))}" for module, names in sorted(writer.used.items())]
    return "\n".join([*imports, "", *lines])
