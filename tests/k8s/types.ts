// The kinds that deploy/k8s may contain, as the Kubernetes API describes them.
import type {DaemonSet, Deployment} from "kubernetes-types/apps/v1";
import type {Job} from "kubernetes-types/batch/v1";
import type {Namespace, Secret, Service, ServiceAccount} from "kubernetes-types/core/v1";
import type {NetworkPolicy} from "kubernetes-types/networking/v1";
import type {PodDisruptionBudget} from "kubernetes-types/policy/v1";

export type {DaemonSet, Deployment, Job, Namespace, NetworkPolicy, PodDisruptionBudget, Secret, Service, ServiceAccount};
