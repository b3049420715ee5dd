// Reads the manifests of deploy/k8s as Kubernetes does: a repeated member is an error.
import {execFileSync} from "node:child_process";
import {readdirSync, readFileSync} from "node:fs";
import {parseAllDocuments} from "yaml";

export const repo = new URL("../..", import.meta.url).pathname;
const folder = `${repo}deploy/k8s/`;

function parse(text, name) {
  return parseAllDocuments(text, {uniqueKeys: true, version: "1.1"}).map((document) => {
    if (document.errors.length > 0) throw new Error(`${name}: ${document.errors[0].message}`);
    return {name, manifest: document.toJS()};
  });
}

export const agents = (gpus) => parse(execFileSync(`${folder}agents`, [String(gpus)], {encoding: "utf8"}), `agents ${gpus}`);

export function manifests() {
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml")).sort();
  return files.flatMap((file) => parse(readFileSync(folder + file, "utf8"), file));
}

// The template of a manifest's pods.
export const podOf = (manifest) => manifest.spec?.template?.spec;
