"""The scene reference: every key of a scene file, from the JSON schema that the reader itself checks files with."""

import json
import re
from typing import Any

import ropewalk

Schema = dict[str, Any]

INTRODUCTION = """# Scene reference

Every key of a scene file, made from the schema that the reader checks files with (`ropewalk schema` prints it, for editors and programs).
[Scene files](../scenes.md) explains how they work together. SI units and radians; an integer may stand for a number. A key without a default may be left
out unless it is *required*. Names in brackets are yours: `[rod.NAME]` makes a rod called NAME.
"""

NUMBER_LIMITS = (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("exclusiveMaximum", "<"))


def page() -> str:
    """The page."""
    return _Reference(ropewalk.scene_schema()).page()


class _Reference:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.types: dict[str, Schema] = schema.get("$defs", {})
        # Types that keys have led to, in the order in which they are met.
        self.wanted: list[str] = []

    def page(self) -> str:
        parts = [INTRODUCTION, "## Top level\n"]
        tables, values = {}, {}
        for key, schema in self.schema["properties"].items():
            (tables if self._table_of(schema) else values)[key] = schema
        parts.append(self._rows(values, self.schema.get("required", [])))
        for key, schema in tables.items():
            name, named = self._table_of(schema) or ("", False)
            heading = f"[{key}.NAME]" if named else f"[{key}]"
            parts.append(f"## `{heading}`\n\n{_text(schema)}\n")
            parts.append(self._type(name))
        parts.append("## Types\n")
        done = 0
        while done < len(self.wanted):
            name = self.wanted[done]
            parts.append(f"({_anchor(name)})=\n### {_title(name)}\n\n{_text(self.types[name])}\n")
            parts.append(self._type(name))
            done += 1
        return "\n".join(parts)

    def _table_of(self, schema: Schema) -> tuple[str, bool] | None:
        """The type of a table of the file, and whether tables of it have names."""
        many = schema.get("additionalProperties")
        if isinstance(many, dict) and "$ref" in many:
            return _last(many["$ref"]), True
        if "$ref" in schema:
            name = _last(schema["$ref"])
            if "properties" in self.types[name]:
                return name, False
        return None

    def _type(self, name: str) -> str:
        schema = self.types[name]
        if "properties" in schema:
            return self._rows(schema["properties"], schema.get("required", []))
        rows = [row for choice in _choices(schema) for row in self._choice_rows(choice)]
        if not rows:
            return f"{self._kind(schema)}\n"
        return "| value | meaning |\n|---|---|\n" + "\n".join(rows) + "\n"

    def _choice_rows(self, choice: Schema) -> list[str]:
        if "const" in choice or "enum" in choice:
            given = choice.get("enum", [choice.get("const")])
            return [f"| {_code(json.dumps(value))} | {_cell(_text(choice))} |" for value in given]
        if "properties" in choice:
            rows = []
            for key, inner in choice["properties"].items():
                words = _text(choice) or _text(inner)
                rows.append(f"| {_code(f'{{ {key} = … }}')}: {self._kind(inner)} | {_cell(words)} |")
            return rows
        return [f"| {self._kind(choice)} | {_cell(_text(choice))} |"]

    def _rows(self, keys: dict[str, Schema], required: list[str]) -> str:
        rows = ["| key | value | default | meaning |", "|---|---|---|---|"]
        for key, schema in keys.items():
            default = "*required*" if key in required else _default(schema)
            words = " ".join(part for part in (_text(schema), _limits(schema)) if part)
            rows.append(f"| {_code(key)} | {self._kind(schema)} | {default} | {_cell(words)} |")
        return "\n".join(rows) + "\n"

    def _kind(self, schema: Schema | bool) -> str:
        """What a value is, in a few words, with a link to its type."""
        if isinstance(schema, bool):
            return "anything"
        if "$ref" in schema:
            name = _last(schema["$ref"])
            if name not in self.wanted:
                self.wanted.append(name)
            return f"[{_title(name)}](#{_anchor(name)})"
        if "const" in schema:
            return _code(json.dumps(schema["const"]))
        if "enum" in schema:
            return " or ".join(_code(json.dumps(value)) for value in schema["enum"])
        choices = _choices(schema)
        if choices:
            return " or ".join(dict.fromkeys(self._kind(choice) for choice in choices))
        if schema.get("type") == "array":
            return self._array(schema)
        if schema.get("type") == "object":
            many = schema.get("additionalProperties")
            return f"table of {self._kind(many)}" if isinstance(many, dict) else "table"
        kinds = schema.get("type", "anything")
        return " or ".join(kinds) if isinstance(kinds, list) else str(kinds)

    def _array(self, schema: Schema) -> str:
        items = schema.get("prefixItems") or schema.get("items", True)
        inner = self._kind(items[0] if isinstance(items, list) else items)
        least, most = schema.get("minItems"), schema.get("maxItems")
        if least is not None and least == most:
            return f"{least} × {inner}"
        return f"array of {inner}"


def _choices(schema: Schema) -> list[Schema]:
    found: list[Schema] = schema.get("oneOf") or schema.get("anyOf") or schema.get("allOf") or []
    if not found and "enum" in schema:
        return [{"const": value} for value in schema["enum"]]
    return found


def _default(schema: Schema) -> str:
    value = schema.get("default")
    return "" if value is None or isinstance(value, dict) or value == [] else _code(json.dumps(value, ensure_ascii=False))


def _limits(schema: Schema) -> str:
    # Whole numbers as they are, others short.
    found = [
        f"{sign} {schema[key] if isinstance(schema[key], int) else format(schema[key], 'g')}" for key, sign in NUMBER_LIMITS if key in schema
    ]
    return f"({', '.join(found)})" if found else ""


def _text(schema: Schema) -> str:
    return " ".join(schema.get("description", "").split())


def _cell(text: str) -> str:
    # Scene keys in descriptions are plain words; what looks like markup is not.
    return text.replace("|", "\\|").replace("*", "\\*").replace("[", "\\[").replace("<", "&lt;")


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"


def _last(reference: str) -> str:
    return reference.rsplit("/", 1)[-1]


def _title(name: str) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z0-9])", " ", name.removesuffix("Spec"))
    return words.lower()


def _anchor(name: str) -> str:
    return "scene-" + _title(name).replace(" ", "-")
