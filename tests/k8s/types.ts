// The kinds that deploy/k8s and docs/recipes may contain, as the Kubernetes API describes them.
import type {DaemonSet, Deployment} from "kubernetes-types/apps/v1";
import type {Job} from "kubernetes-types/batch/v1";
import type {Namespace, Secret, Service, ServiceAccount} from "kubernetes-types/core/v1";
import type {NetworkPolicy} from "kubernetes-types/networking/v1";
import type {PodDisruptionBudget} from "kubernetes-types/policy/v1";
import type {LabelSelector, ObjectMeta} from "kubernetes-types/meta/v1";

// Of the Prometheus Operator's ServiceMonitor, the members that docs/recipes uses: npm's package of its type depends on the
// models of all other kinds.
export interface ServiceMonitor {
  apiVersion: "monitoring.coreos.com/v1";
  kind: "ServiceMonitor";
  metadata: ObjectMeta;
  spec: {
    selector: LabelSelector;
    endpoints: {port: string; path?: string; scheme?: "http" | "https"; interval?: string; scrapeTimeout?: string}[];
  };
}

export type {DaemonSet, Deployment, Job, Namespace, NetworkPolicy, PodDisruptionBudget, Secret, Service, ServiceAccount};
