"""contract/openapi.yaml in a form that generators can use: no references, no media types, no nesting without a name.

    form(document) → {"operations": [...], "records": [...]}

operation: {"id", "method", "path", "summary", "path_params", "options", "body", "answer"}
  path_params  [{"name", "type"}], in the order of the path
  options      [{"name", "wire", "in": "query"|"header", "type", "required", "summary"}]
  body         null, or {"kind": "fields", "record", "required"}: an object of named fields
                     or {"kind": "document"}: JSON that people write and edit, taken as it is
                     or {"kind": "text"}, {"kind": "payload"}: bytes with a media type
  answer       {"kind": "none"}, {"kind": "record", "record"}, {"kind": "text"} or {"kind": "stream"}
record: {"name", "summary", "fields": [{"name", "type", "required", "nullable", "summary"}]}
type: "text", "integer", "number", "flag", "any", {"list": type}, {"map": type} or {"record": name}

`tools/gen-client` makes C++ of it; a Python client would start from the same form (`tools/gen-client --form`).
"""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTRACT = ROOT / "contract/openapi.yaml"
METHODS = ("get", "post", "put", "patch", "delete")
SCALARS = {"string": "text", "integer": "integer", "number": "number", "boolean": "flag"}


class Contract:
    def __init__(self, document):
        self.document = document

    def resolve(self, node):
        """The node itself, or what its $ref points at."""
        while isinstance(node, dict) and "$ref" in node:
            target = self.document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part]
            node = target
        return node

    def operations(self):
        """(tag, method, path, operation, parameters), in the order they are written."""
        for path, item in self.document["paths"].items():
            shared = item.get("parameters", [])
            for method in METHODS:
                if method in item:
                    operation = item[method]
                    tag = operation.get("tags", ["other"])[0]
                    yield tag, method, path, operation, shared + operation.get("parameters", [])


def pascal(words):
    return "".join(word.capitalize() for word in words.replace("-", "_").split("_"))


class Form:
    def __init__(self, document):
        self.contract = Contract(document)
        self.records = {}

    def fields_of(self, schema):
        """(properties, required) with those of allOf."""
        schema = self.contract.resolve(schema)
        properties, required = {}, set(schema.get("required", ()))
        for part in schema.get("allOf", ()):
            more, needed = self.fields_of(part)
            properties.update(more)
            required |= needed
        properties.update(schema.get("properties", {}))
        return properties, required

    def record(self, name, schema):
        if name not in self.records:
            self.records[name] = None  # a record may hold itself
            properties, required = self.fields_of(schema)
            fields = [{"name": field, "type": self.type_of(value, name + pascal(field)), "required": field in required,
                       "nullable": bool(self.contract.resolve(value).get("nullable") or value.get("nullable")),
                       "summary": value.get("description", "")} for field, value in properties.items()]
            # Written after all that it is made of.
            del self.records[name]
            self.records[name] = {"name": name, "summary": self.contract.resolve(schema).get("description", ""), "fields": fields}
        return {"record": name}

    def type_of(self, schema, name):
        """The type of a schema; `name` is for an object that has none of its own."""
        if "$ref" in schema:
            return self.type_of(self.contract.resolve(schema), schema["$ref"].rsplit("/", 1)[-1])
        whole = schema.get("allOf", [])
        if len(whole) == 1 and "properties" not in schema and "required" not in schema:
            return self.type_of(whole[0], name)
        if whole or schema.get("properties"):
            return self.record(name, schema)
        kind = schema.get("type")
        if kind == "array":
            return {"list": self.type_of(schema["items"], name.removesuffix("s"))}
        if kind == "object" and schema.get("additionalProperties"):
            return {"map": self.type_of(schema["additionalProperties"], name)}
        return SCALARS.get(kind, "any")

    def body_of(self, operation):
        body = self.contract.resolve(operation.get("requestBody"))
        if body is None:
            return None
        content = body["content"]
        if "multipart/form-data" in content:
            return {"kind": "payload"}
        if "application/json" not in content:
            return {"kind": "text"}
        schema = content["application/json"]["schema"]
        if "$ref" in schema:
            return {"kind": "document"}
        record = self.record(pascal(operation["operationId"]) + "Fields", schema)
        return {"kind": "fields", "record": record["record"], "required": body.get("required", False)}

    def answer_of(self, operation):
        if operation.get("x-stream"):
            return {"kind": "stream"}
        for status, answer in operation["responses"].items():
            content = self.contract.resolve(answer).get("content")
            if not status.startswith("2") or not content:
                continue
            if list(content) != ["application/json"]:
                return {"kind": "text"}
            return {"kind": "record", **self.type_of(content["application/json"]["schema"], pascal(operation["operationId"]))}
        return {"kind": "none"}

    def operation(self, method, path, operation, parameters):
        parameters = [self.contract.resolve(parameter) for parameter in parameters]
        by_name = {parameter["name"]: parameter for parameter in parameters if parameter["in"] == "path"}
        names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
        options = [{"name": one["name"].lower().replace("-", "_"), "wire": one["name"], "in": one["in"],
                    "type": self.type_of(one["schema"], ""), "required": one.get("required", False),
                    "summary": one.get("description", "")} for one in parameters if one["in"] != "path"]
        return {"id": operation["operationId"], "method": method.upper(), "path": path, "summary": operation["summary"],
                "path_params": [{"name": name, "type": self.type_of(by_name[name]["schema"], "")} for name in names],
                "options": options, "body": self.body_of(operation), "answer": self.answer_of(operation)}


def form(document, below="/api/v1"):
    """The operations whose path begins with `below`, and every record they speak of, each after those it is made of."""
    made = Form(document)
    operations = [made.operation(method, path, operation, parameters)
                  for _, method, path, operation, parameters in made.contract.operations() if path.startswith(below)]
    return {"operations": operations, "records": list(made.records.values())}
