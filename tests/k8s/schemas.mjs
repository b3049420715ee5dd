// A schema for each kind, made from the API's own types. It refuses fields that the type does not have.
import Ajv from "ajv";
import {createGenerator} from "ts-json-schema-generator";

const here = new URL(".", import.meta.url).pathname;
export const kinds = {
  DaemonSet: "apps/v1",
  Deployment: "apps/v1",
  Job: "batch/v1",
  Namespace: "v1",
  NetworkPolicy: "networking.k8s.io/v1",
  PodDisruptionBudget: "policy/v1",
  Secret: "v1",
  Service: "v1",
  ServiceAccount: "v1",
  ServiceMonitor: "monitoring.coreos.com/v1",
};

const generator = createGenerator({path: `${here}types.ts`, type: "*", skipTypeCheck: true, additionalProperties: false});
const ajv = new Ajv({allErrors: true, strict: false, validateFormats: false});
const validators = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, ajv.compile(generator.createSchema(kind))]));

// The faults of one manifest, one sentence each.
export function wrong(manifest) {
  const {kind, apiVersion} = manifest ?? {};
  if (!Object.hasOwn(validators, kind ?? "")) return [`kind: ${kind} is none of ${Object.keys(kinds).join(", ")}`];
  if (apiVersion !== kinds[kind]) return [`apiVersion: ${apiVersion} is not ${kinds[kind]}, of a ${kind}`];
  if (validators[kind](manifest)) return [];
  return validators[kind].errors.map(({instancePath, message, params}) =>
    `${instancePath || "/"}: ${message}${params.additionalProperty ? ` '${params.additionalProperty}'` : ""}`);
}
