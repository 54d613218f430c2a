"""Is an answer of the server what contract/openapi.yaml says? Stricter than clients have to be: a field that the contract does
not know, or a required one that is missing, is a fault."""
import functools
import pathlib
import re

import yaml

CONTRACT = pathlib.Path(__file__).resolve().parent.parent.parent / "contract/openapi.yaml"
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}


@functools.cache
def contract():
    return yaml.load(CONTRACT.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def routes():
    """(path as an expression, item), those without {name} parts first."""
    paths = sorted(contract()["paths"].items(), key=lambda one: one[0].count("{"))
    return [(re.compile(re.sub(r"\\\{.*?\\\}", "[^/]+", re.escape(path))), item) for path, item in paths]


def resolve(node):
    while "$ref" in node:
        target = contract()
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def fields_of(schema):
    schema = resolve(schema)
    properties, required = {}, set(schema.get("required", ()))
    for part in schema.get("allOf", ()):
        more, needed = fields_of(part)
        properties.update(more)
        required |= needed
    properties.update(schema.get("properties", {}))
    return properties, required


def faults_of(value, schema, path=""):
    """`path: what` for all that is wrong with a value."""
    whole = resolve(schema)
    if value is None:
        return [] if schema.get("nullable") or whole.get("nullable") or not whole else [f"{path}: may not be null"]
    kind = whole.get("type")
    if kind and (not isinstance(value, TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
        return [f"{path}: {value!r} is not a {kind}"]
    if "enum" in whole and value not in whole["enum"]:
        return [f"{path}: {value!r} is not one of {whole['enum']}"]
    if isinstance(value, list):
        return [fault for at, item in enumerate(value) for fault in faults_of(item, whole.get("items", {}), f"{path}/{at}")]
    if not isinstance(value, dict):
        return []
    properties, required = fields_of(whole)
    faults = [f"{path}/{name}: missing" for name in sorted(required - value.keys())]
    rest = whole.get("additionalProperties")
    for name, item in value.items():
        if name in properties:
            faults += faults_of(item, properties[name], f"{path}/{name}")
        elif isinstance(rest, dict):
            faults += faults_of(item, rest, f"{path}/{name}")
        elif properties:
            faults.append(f"{path}/{name}: not in the contract")
    return faults


def check_answer(method, path, answer):
    """Raises when a JSON answer to this call is not as written down; calls that the contract does not know pass."""
    if not answer.headers.get("Content-Type", "").startswith("application/json") or not answer.content:
        return
    item = next((item for route, item in routes() if route.fullmatch(path)), {})
    operation = item.get(method.lower())
    if operation is None:
        return
    wanted = operation["responses"].get(str(answer.status_code)) or operation["responses"].get("default")
    content = resolve(wanted).get("content", {}).get("application/json") if wanted else None
    if content is None:
        return
    faults = faults_of(answer.json(), content["schema"])
    assert not faults, f"{method} {path} answered {answer.status_code}, against the contract:\n" + "\n".join(faults)
