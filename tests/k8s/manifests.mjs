// Reads the manifests of deploy/k8s as Kubernetes does: a repeated member is an error.
// Also the overlay of docs/recipes, as far as `kubectl kustomize` builds it: resources, images, and JSON patches.
import {execFileSync} from "node:child_process";
import {readdirSync, readFileSync, statSync} from "node:fs";
import {join} from "node:path";
import {parse as parseYaml, parseAllDocuments} from "yaml";

export const repo = new URL("../..", import.meta.url).pathname;
export const overlay = `${repo}docs/recipes/kubernetes`;
const folder = `${repo}deploy/k8s/`;
const KUSTOMIZATION = "kustomization.yaml";
const MEMBERS = ["apiVersion", "kind", "resources", "images", "patches"];

function parse(text, name) {
  return parseAllDocuments(text, {uniqueKeys: true, version: "1.1"}).map((document) => {
    if (document.errors.length > 0) throw new Error(`${name}: ${document.errors[0].message}`);
    return {name, manifest: document.toJS()};
  });
}

export const agents = (gpus) => parse(execFileSync(`${folder}agents`, [String(gpus)], {encoding: "utf8"}), `agents ${gpus}`);

export function manifests() {
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml") && file !== KUSTOMIZATION).sort();
  return files.flatMap((file) => parse(readFileSync(folder + file, "utf8"), file));
}

// The template of a manifest's pods.
export const podOf = (manifest) => manifest.spec?.template?.spec;

// Applies one operation of a JSON patch (RFC 6902). Only what replaces or adds a member is known.
function apply({op, path, value}, manifest) {
  const steps = path.split("/").slice(1).map((it) => it.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = steps.pop();
  const place = steps.reduce((at, step) => at?.[step], manifest);
  if (place === undefined || !["add", "replace"].includes(op) || (op === "replace" && !Object.hasOwn(place, last)))
    throw new Error(`${manifest.kind} ${manifest.metadata.name}: nothing to ${op} at ${path}`);
  place[last] = value;
}

// The image with the names and tags of the kustomization's `images`.
function renamed(image, images) {
  const found = images.find((it) => image.startsWith(`${it.name}:`));
  return found ? `${found.newName ?? found.name}:${found.newTag ?? image.split(":").at(-1)}` : image;
}

// The manifests that a kustomization makes.
export function kustomized(place) {
  const {resources, images = [], patches = [], ...rest} = parseYaml(readFileSync(join(place, KUSTOMIZATION), "utf8"));
  const unknown = Object.keys(rest).filter((it) => !MEMBERS.includes(it));
  if (unknown.length > 0) throw new Error(`${place}: this test does not know ${unknown}`);
  const made = resources.flatMap((name) => {
    const path = join(place, name);
    return statSync(path).isDirectory() ? kustomized(path) : parse(readFileSync(path, "utf8"), name);
  });
  for (const {target, patch} of patches) {
    const chosen = made.filter(({manifest}) => manifest.kind === target.kind && manifest.metadata.name === target.name);
    if (chosen.length !== 1) throw new Error(`${place}: ${target.kind} ${target.name}: ${chosen.length} manifests`);
    for (const operation of parseYaml(patch)) apply(operation, chosen[0].manifest);
  }
  for (const container of made.flatMap(({manifest}) => podOf(manifest)?.containers ?? [])) container.image = renamed(container.image, images);
  return made;
}
