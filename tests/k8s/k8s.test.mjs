// The manifests of deploy/k8s must use only fields that the API has, and name only existing objects.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {test} from "node:test";
import {agents, manifests, podOf, repo} from "./manifests.mjs";
import {wrong} from "./schemas.mjs";

const STOPPED_AFTER = 15; // seconds after SIGTERM, by docs/operations.md
const all = [...manifests(), ...agents(8)];
const of = (kind) => all.filter(({manifest}) => manifest.kind === kind).map(({manifest}) => manifest);
const pods = all.filter(({manifest}) => podOf(manifest)).map(({name, manifest}) => ({name, labels: manifest.spec.template.metadata.labels, ...podOf(manifest)}));
const containers = pods.flatMap((pod) => pod.containers.map((container) => ({...container, of: pod.name})));
const clone = (value) => JSON.parse(JSON.stringify(value));
const matches = (selector, labels) => Object.entries(selector).every(([key, value]) => labels[key] === value);

test("every manifest is as the API describes it", () => {
  assert.ok(all.length >= 12);
  for (const {name, manifest} of all) assert.deepEqual(wrong(manifest), [], name);
});

test("a field that the API does not know is refused, however deep", () => {
  const service = clone(of("Service")[0]);
  service.spec.prots = service.spec.ports;
  delete service.spec.ports;
  assert.deepEqual(wrong(service), ["/spec: must NOT have additional properties 'prots'"]);

  const deployment = clone(of("Deployment")[0]);
  const [container] = podOf(deployment).containers;
  container.port = container.ports;
  delete container.ports;
  assert.deepEqual(wrong(deployment), ["/spec/template/spec/containers/0: must NOT have additional properties 'port'"]);

  const probe = clone(of("Deployment")[0]);
  podOf(probe).containers[0].readinessProbe.httpGet.paths = "/readyz";
  assert.match(wrong(probe).join(), /readinessProbe\/httpGet: must NOT have additional properties 'paths'/);

  const policy = clone(of("NetworkPolicy")[1]);
  policy.spec.ingress[0].form = policy.spec.ingress[0].from;
  assert.match(wrong(policy).join(), /ingress\/0: must NOT have additional properties 'form'/);
});

test("a value of another type, a required field that is missing, a kind of another version are refused", () => {
  const deployment = clone(of("Deployment")[0]);
  deployment.spec.replicas = "2";
  assert.deepEqual(wrong(deployment), ["/spec/replicas: must be number"]);
  delete deployment.spec.selector;
  deployment.spec.replicas = 2;
  assert.deepEqual(wrong(deployment), ["/spec: must have required property 'selector'"]);
  assert.match(wrong({...clone(of("Job")[0]), apiVersion: "batch/v1beta1"}).join(), /batch\/v1beta1 is not batch\/v1/);
  assert.match(wrong({kind: "Depolyment"}).join(), /Depolyment is none of/);
});

test("no two things have one name", () => {
  const names = manifests().concat(agents(8).slice(1)).map(({manifest}) => `${manifest.kind} ${manifest.metadata.name}`);
  assert.deepEqual(names, [...new Set(names)]);
  for (const {name, manifest} of all) if (manifest.kind !== "Namespace") assert.equal(manifest.metadata.namespace, "tunehub", name);
});

test("who selects pods selects some", () => {
  const selectors = [...of("Service").map((it) => it.spec.selector), ...of("PodDisruptionBudget").map((it) => it.spec.selector.matchLabels),
    ...of("NetworkPolicy").map((it) => it.spec.podSelector.matchLabels ?? {}),
    ...of("NetworkPolicy").flatMap((it) => (it.spec.ingress ?? []).flatMap((rule) => rule.from)).flatMap((peer) => peer.podSelector?.matchLabels ?? [])];
  for (const selector of selectors) assert.ok(pods.some((pod) => matches(selector, pod.labels)), JSON.stringify(selector));
  const workloads = [...of("Deployment"), ...of("DaemonSet")];
  for (const {spec} of workloads) assert.ok(matches(spec.selector.matchLabels, spec.template.metadata.labels));
  const own = agents(8).map(({manifest}) => JSON.stringify(manifest.spec.selector.matchLabels));
  assert.equal(new Set(own).size, 8, "each DaemonSet has pods of its own");
});

test("ports are those that the containers have", () => {
  const [server] = of("Deployment").flatMap((it) => podOf(it).containers);
  const names = server.ports.map((it) => it.name);
  for (const port of of("Service")[0].spec.ports) assert.ok(names.includes(port.targetPort));
  for (const probe of [server.startupProbe, server.livenessProbe, server.readinessProbe]) assert.ok(names.includes(probe.httpGet.port));
  const [{containerPort}] = server.ports;
  assert.equal(server.env.find((it) => it.name === "TUNEHUB_LISTEN").value, `0.0.0.0:${containerPort}`);
  const hosts = server.env.find((it) => it.name === "TUNEHUB_HOST").value.split(",");
  const {name, namespace} = of("Service")[0].metadata;
  for (const host of [name, `${name}.${namespace}`, `${name}.${namespace}.svc`]) assert.ok(hosts.includes(host), host);
  const open = of("NetworkPolicy").find((it) => it.metadata.name === "tunehub-server").spec.ingress.flatMap((it) => it.ports);
  assert.deepEqual(open.map((it) => it.port), [containerPort]);
});

test("probes ask routes that there are", () => {
  const routes = JSON.parse(readFileSync(`${repo}server/openapi.json`, "utf8")).paths;
  for (const container of containers) {
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
      if (probe?.httpGet) assert.ok(Object.hasOwn(routes, probe.httpGet.path.split("?")[0]), probe.httpGet.path);
    }
  }
});

test("settings are the server's, and its end fits into what Kubernetes waits", () => {
  const settings = [...readFileSync(`${repo}docs/reference/settings.md`, "utf8").matchAll(/`(TUNEHUB_\w+)`/g)].map(([, it]) => it);
  for (const {name, containers: [container], terminationGracePeriodSeconds} of pods.filter((pod) => pod.name !== "agent.yaml" && !pod.name.startsWith("agents"))) {
    for (const variable of container.env) assert.ok(settings.includes(variable.name), `${name}: ${variable.name} is no setting`);
    if (container.args[0] === "serve") assert.ok(terminationGracePeriodSeconds > STOPPED_AFTER);
  }
  const [server] = of("Deployment").flatMap((it) => podOf(it).containers);
  const lameDuck = Number(server.env.find((it) => it.name === "TUNEHUB_LAME_DUCK_MS").value) / 1000;
  const {periodSeconds, failureThreshold} = server.readinessProbe;
  assert.ok(lameDuck > periodSeconds * failureThreshold, "it serves until its pod is seen to be not ready");
});

test("secrets are those of the example", () => {
  const keys = of("Secret").flatMap((it) => Object.keys(it.stringData).map((key) => `${it.metadata.name} ${key}`));
  const asked = containers.flatMap((it) => it.env).map((it) => it.valueFrom?.secretKeyRef).filter(Boolean);
  assert.equal(asked.length >= 3, true);
  for (const {name, key} of asked) assert.ok(keys.includes(`${name} ${key}`), `${name} ${key}`);
});

test("no pod runs as root, may become it, writes its image, or is without limits", () => {
  for (const pod of pods) {
    assert.equal(pod.securityContext.runAsNonRoot, true, pod.name);
    assert.ok(pod.securityContext.runAsUser > 0, pod.name);
    assert.equal(pod.securityContext.seccompProfile.type, "RuntimeDefault", pod.name);
    assert.equal(pod.automountServiceAccountToken, false, pod.name);
    assert.ok(!pod.hostNetwork && !pod.hostPID && !pod.volumes.some((it) => it.hostPath), pod.name);
    const mounted = pod.volumes.map((it) => it.name);
    for (const {securityContext, resources, volumeMounts} of pod.containers) {
      assert.deepEqual(securityContext, {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: ["ALL"]}}, pod.name);
      assert.ok(resources.limits.memory && resources.limits.cpu && resources.requests.memory && resources.requests.cpu, pod.name);
      for (const {name} of volumeMounts) assert.ok(mounted.includes(name), `${pod.name}: ${name}`);
    }
  }
});
