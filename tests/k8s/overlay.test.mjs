// The overlay of docs/recipes/kubernetes: what it makes of deploy/k8s, checked like deploy/k8s itself.
import assert from "node:assert/strict";
import {execFileSync, spawnSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {parseAllDocuments, parse} from "yaml";
import {kustomized, manifests, overlay, podOf, repo} from "./manifests.mjs";
import {wrong} from "./schemas.mjs";

const made = kustomized(overlay).map(({manifest}) => manifest);
const only = (kind) => {
  const found = made.filter((it) => it.kind === kind);
  assert.equal(found.length, 1, kind);
  return found[0];
};
const id = ({kind, metadata}) => `${kind} ${metadata.namespace ?? ""} ${metadata.name}`;
const seconds = (text) => Number(/^(\d+)s$/.exec(text)[1]);

test("every manifest is as the API describes it", () => {
  assert.ok(made.length >= 8);
  for (const manifest of made) assert.deepEqual(wrong(manifest), [], id(manifest));
});

test("a field that a ServiceMonitor does not have is refused", () => {
  const monitor = structuredClone(only("ServiceMonitor"));
  monitor.spec.endpoints[0].timeout = monitor.spec.endpoints[0].scrapeTimeout;
  assert.deepEqual(wrong(monitor), ["/spec/endpoints/0: must NOT have additional properties 'timeout'"]);
});

test("the ServiceMonitor selects the Service, by a port that it has, and a route that the server has", () => {
  const {spec, metadata} = only("ServiceMonitor");
  const service = only("Service");
  assert.equal(metadata.namespace, service.metadata.namespace);
  for (const [name, value] of Object.entries(spec.selector.matchLabels)) assert.equal(service.metadata.labels[name], value);
  const routes = JSON.parse(readFileSync(`${repo}server/openapi.json`, "utf8")).paths;
  for (const {port, path} of spec.endpoints) {
    assert.ok(service.spec.ports.some((it) => it.name === port), port);
    assert.ok(Object.hasOwn(routes, path), path);
  }
});

test("its job is the alerts' job, and it scrapes as deploy/observe does", () => {
  const rules = readFileSync(`${repo}deploy/observe/rules.yml`, "utf8");
  assert.ok(rules.includes(`job="${only("Service").metadata.name}"`), "Prometheus names the job by the Service");
  const {global, scrape_configs: [job]} = parse(readFileSync(`${repo}deploy/observe/prometheus.yml`, "utf8"));
  const [endpoint] = only("ServiceMonitor").spec.endpoints;
  assert.deepEqual([endpoint.interval, endpoint.scrapeTimeout], [global.scrape_interval, job.scrape_timeout]);
  assert.ok(seconds(endpoint.scrapeTimeout) < seconds(endpoint.interval));
});

test("the servers migrate, accept the ingress's name, and are otherwise those of deploy/k8s", () => {
  const base = structuredClone(manifests().map(({manifest}) => manifest).find((it) => it.kind === "Deployment"));
  const own = only("Deployment");
  const [was] = podOf(base).containers;
  const [is] = podOf(own).containers;
  assert.deepEqual(is.args, ["serve", "--migrate"]);
  assert.match(is.image, /^registry\.example\/tunehub-server:/);
  assert.equal(is.image.split(":")[1], was.image.split(":")[1], "the version of deploy/k8s");
  const hosts = (container) => container.env.find((it) => it.name === "TUNEHUB_HOST").value.split(",");
  assert.deepEqual(hosts(is), [...hosts(was), "hub.example"]);
  assert.deepEqual(is.env.map((it) => it.name), was.env.map((it) => it.name));
  podOf(base).containers = podOf(own).containers;
  assert.deepEqual(own, base);
});

// The functions of manifests.mjs restate kustomize. Where kubectl is, its own result must be the same.
// Debian 12's kubectl has kustomize 2, which does not know `patches` with a target.
const OLDEST = 4;
const {stdout} = spawnSync("kubectl", ["version", "--client", "--output", "json"], {encoding: "utf8"});
const kustomize = Number(/"kustomizeVersion": "v(\d+)/.exec(stdout ?? "")?.[1] ?? 0);
test("kubectl kustomize makes the same", {skip: kustomize >= OLDEST ? false : `there is no kubectl with kustomize ${OLDEST} here`}, () => {
  const built = parseAllDocuments(execFileSync("kubectl", ["kustomize", overlay], {encoding: "utf8"})).map((it) => it.toJS());
  const sorted = (all) => Object.fromEntries(all.map((it) => [id(it), it]));
  assert.deepEqual(sorted(built), sorted(made));
});
