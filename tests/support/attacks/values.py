"""A right value for a schema, so that an attack reaches the code behind the validation; ids come from a family of rows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tests.support.attacks.doors import Schema
    from tests.support.attacks.world import Family
else:
    Schema = Mapping[str, Any]
    Family = Mapping[str, str]

KINDS: Final = {
    "kb": "knowledge_base",
    "shelf": "knowledge_base",
    "rag": "knowledge_base",
    "user": "app_user",
    "owner": "app_user",
    "member": "app_user",
    "person": "app_user",
    "key": "api_key",
    "question": "exam_question",
    "query": "query_log",
    "number": "whatsapp_number",
    "contact": "whatsapp_contact",
    "delivery": "webhook_delivery",
    "superseded_by": "document",
    "expected_document": "document",
    "public": "widget",
    "licence": "licence",
    "lead": "conversation",
}
"""What an id is called where it is not called like its table."""

WORDS: Final[Mapping[str, str]] = {
    "email": "somebody@x.y",
    "admin_email": "somebody@x.y",
    "password": "correcto caballo batería",
    "admin_password": "correcto caballo batería",
    "url": "https://example.com/feed",
    "source_url": "https://example.com/feed",
    "plan": "free",
    "code": "free",
    "model": "extractive",
    "question": "a secret",
    "query": "a secret",
    "query_text": "a secret",
    "text": "a secret",
    "message": "a secret",
    "language": "es",
    "access_token": "abcdefgh",
    "app_secret": "abcdefgh",
    "machine": "m1",
    "zone": "UTC",
}
_DEEPEST: Final = 6


def kind_of(name: str) -> str:
    """`p_kb_ids` → knowledge_base: what an id of this name is of."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    bare = re.sub(r"^(p|target|filter)_|_?ids?$", "", snake)
    bare = re.sub(r"^(.*[^s])s$", r"\1", bare)
    return KINDS.get(bare, bare)


@dataclass(frozen=True, kw_only=True)
class Values:
    """Makes values; `family` says whose rows they name."""

    components: Mapping[str, Schema]
    family: Family
    random: Random

    def of(self, schema: Schema, name: str = "", depth: int = 0) -> Any:
        """A value the schema allows."""
        schema = self._resolved(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        for many in ("anyOf", "oneOf"):
            if many in schema:
                options = [one for one in schema[many] if one.get("type") != "null"] or schema[many]
                return self.of(self.random.choice(options), name, depth)
        make = {
            "object": self._object,
            "array": self._array,
            "integer": self._integer,
            "number": self._number,
            "boolean": self._boolean,
            "string": self._string,
        }.get(schema.get("type", ""), self._anything)
        return make(schema, name, depth)

    def names_a_row(self, name: str, schema: Schema) -> bool:
        """Whether a value of this name is an id, or a name that stands for one."""
        return kind_of(name) in self.family or self._resolved(schema).get("format") == "uuid"

    def id_for(self, name: str) -> str:
        """The family's row of that kind, or any of its rows."""
        return self.family.get(kind_of(name)) or self.random.choice(list(self.family.values()))

    def _resolved(self, schema: Schema) -> Schema:
        for _ in range(4):
            if "$ref" in schema:
                schema = self.components[schema["$ref"].rsplit("/", 1)[1]]
            elif len(schema.get("allOf", ())) == 1:
                schema = schema["allOf"][0]
        return schema

    def _object(self, schema: Schema, name: str, depth: int) -> Any:
        if depth > _DEEPEST:
            return {}
        needed = set(schema.get("required", ()))
        wanted = {
            key: one
            for key, one in schema.get("properties", {}).items()
            if key in needed or self.random.random() < (0.5 if self.names_a_row(key, one) else 0.25)
        }
        return {key: self.of(one, key, depth + 1) for key, one in wanted.items()}

    def _array(self, schema: Schema, name: str, depth: int) -> Any:
        least = max(schema.get("minItems", 0), 1)
        number = self.random.randint(least, max(least, min(schema.get("maxItems", 2), 2)))
        return [self.of(schema.get("items", {}), name, depth + 1) for _ in range(number)]

    def _integer(self, schema: Schema, name: str, depth: int) -> Any:
        if kind_of(name) == "edition":
            return int(self.family["edition"])
        low = int(schema.get("minimum", schema.get("exclusiveMinimum", 0)))
        return self.random.choice((low, min(low + 1, int(schema.get("maximum", low + 1)))))

    def _number(self, schema: Schema, name: str, depth: int) -> Any:
        low, high = schema.get("minimum", 0), schema.get("maximum", 1)
        step = schema.get("multipleOf")
        return low if step else self.random.choice((low, (low + high) / 2))

    def _boolean(self, schema: Schema, name: str, depth: int) -> Any:
        return self.random.random() < 0.5

    def _string(self, schema: Schema, name: str, depth: int) -> Any:
        kind = schema.get("format")
        if kind == "uuid":
            return self.id_for(name)
        if kind == "binary":
            return b"a secret file"
        if kind in ("date", "date-time"):
            return "2030-01-01" if kind == "date" else "2030-01-01T00:00:00Z"
        if name == "machine_id" or (kind_of(name) in self.family and name not in WORDS):
            return self.id_for("machine" if name == "machine_id" else name)
        word = WORDS.get(name) or self._pattern(schema) or f"word {self.random.randrange(10**6)}"
        longest = schema.get("maxLength", len(word))
        return word[:longest].ljust(min(schema.get("minLength", 0), 200), "x")

    def _pattern(self, schema: Schema) -> str:
        samples = ("#aabbcc", "abcdef", "abcdefghijklmnop", "1234567", "+5215512345678", "es")
        pattern = schema.get("pattern")
        return next((one for one in samples if pattern and re.search(pattern, one)), "")

    def _anything(self, schema: Schema, name: str, depth: int) -> Any:
        rows = dict(self.family)
        return {"tenant_id": rows["tenant"], "kb_id": rows["knowledge_base"], "machine_id": rows["machine"]}
