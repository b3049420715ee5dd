"""What the layers of vLLM compute, restated from its Python source class by class: nothing here is
read from the code of this project. Paths are below vllm/model_executor; where SGLang's layers
differ, its file is named too.

products(config, tp, ep) answers how often each matrix product is made on one GPU:
  ("dense", N, K, stored), ("batched", B, N, K, "bf16"), ("experts", E, topk, width, hidden, stored)
"""
import collections
import re


class Refused(Exception):
    """The engine would not start."""


def divide(figure, gpus):  # vllm/distributed/utils.py, divide
    if figure % gpus:
        raise Refused(f"{figure} / {gpus}")
    return figure // gpus


# ---- layers/quantization: which module is stored how

FUSED = {  # packed_modules_mapping of the models' classes
    "qkv_proj": ["q_proj", "k_proj", "v_proj"],
    "gate_up_proj": ["gate_proj", "up_proj"],
    "w13": ["w1", "w3"],
    "fused_qkv_a_proj": ["q_a_proj", "kv_a_proj_with_mqa"],
    "in_proj_qkvz": ["in_proj_qkvz"],
}


class Storage:
    def __init__(self, config):
        self.config = config or {}
        self.method = self.config.get("quant_method", "")
        self.block = self.config.get("weight_block_size")

    def _ignored(self, module):
        listed = (self.config.get("ignore") or self.config.get("modules_to_not_convert") or
                  self.config.get("exclude") or [])
        for it in listed:
            if it.startswith("re:"):  # compressed_tensors/utils.py, should_ignore_layer
                if re.match(it[3:], module):
                    return True
            elif "*" in it:  # the lists of the files here name a layer once
                if re.fullmatch(re.escape(it).replace(r"\*", ".*"), module) or module.startswith(
                        it.replace("*", module.split(".")[2] if "layers." in module else "") + "."):
                    return True
            elif module == it or module.split(".")[-1] == it:
                return True
        return False

    def _skipped(self, prefix):  # utils/quant_utils.py, is_layer_skipped
        name = prefix.split(".")[-1]
        parts = [prefix[: -len(name)] + it for it in FUSED.get(name, [name])]
        skipped = {self._ignored(it) for it in parts} | {self._ignored(prefix)} if len(parts) == 1 \
            else {self._ignored(it) for it in parts}
        if len(skipped) > 1:
            raise Refused(f"{prefix} is quantised in parts")
        return skipped.pop()

    def of(self, prefix, experts=False):
        if not self.method:
            return "bf16"
        if self.method == "mxfp4":  # quantization/mxfp4.py: FusedMoE alone, linear layers fall back
            return "mxfp4" if experts else "bf16"
        if self._skipped(prefix):
            return "bf16"
        if self.method == "fp8":  # quantization/fp8.py, Fp8Config
            return "fp8_block" if self.block else "fp8"
        if self.method == "quark":  # quark/quark.py: OCP MX of weights and inputs
            return "fp4"
        group = self.config["config_groups"]["group_0"]
        weights, inputs = group["weights"], group.get("input_activations")
        if weights["num_bits"] == 4:  # compressed_tensors.py: WNA16
            return "int4"
        return ("fp8" if weights["type"] == "float" else "int8") if inputs else "int8_weights"


# ---- layers/linear.py

class Gpu:
    """One rank: gathers what its layers compute."""

    def __init__(self, storage, tp, ep):
        self.storage, self.tp, self.ep = storage, tp, ep
        self.made = collections.Counter()
        self.block_refused = []

    def _block(self, prefix, n_parts, k, split_n, split_k):
        # quantization/utils/fp8_utils.py, validate_fp8_block_shape
        block_n, block_k = self.storage.block
        if split_k and k % block_k:
            self.block_refused.append(prefix)
        checked = n_parts if split_n else n_parts[:-1]
        if any(it % block_n for it in checked):
            self.block_refused.append(prefix)

    def _linear(self, prefix, n_parts, k, quantised=True, split_n=False, split_k=False):
        stored = self.storage.of(prefix) if quantised else "bf16"
        if stored == "fp8_block":
            self._block(prefix, n_parts, k, split_n, split_k)
        self.made["dense", sum(n_parts), k, stored] += 1

    def replicated(self, prefix, k, n, quantised=True):  # ReplicatedLinear
        self._linear(prefix, [n], k, quantised)

    def merged_replicated(self, prefix, k, parts):  # MergedColumnParallelLinear, disable_tp
        self._linear(prefix, parts, k)

    def column(self, prefix, k, n):  # ColumnParallelLinear
        self._linear(prefix, [divide(n, self.tp)], k, split_n=self.tp > 1)

    def merged(self, prefix, k, parts, quantised=True):  # MergedColumnParallelLinear
        self._linear(prefix, [divide(it, self.tp) for it in parts], k, quantised,
                     split_n=self.tp > 1)

    def row(self, prefix, k, n):  # RowParallelLinear
        self._linear(prefix, [n], divide(k, self.tp), split_k=self.tp > 1)

    def qkv(self, prefix, hidden, head, heads, kv_heads):  # QKVParallelLinear
        q = divide(heads, self.tp)
        if self.tp >= kv_heads:
            divide(self.tp, kv_heads)
            kv = 1
        else:
            kv = divide(kv_heads, self.tp)
        self._linear(prefix, [q * head, kv * head, kv * head], hidden, split_n=self.tp > 1)

    def gate_up_down(self, prefix, hidden, inner, names=("gate_up_proj", "down_proj")):
        self.merged(f"{prefix}.{names[0]}", hidden, [inner] * 2)
        self.row(f"{prefix}.{names[1]}", inner, hidden)

    def experts(self, prefix, count, topk, hidden, inner):
        # layers/fused_moe/layer.py, FusedMoE: with EP whole experts are split, without their width.
        # SGLang: moe_tp_size = tp / ep, srt/layers/moe/fused_moe_triton/layer.py
        stored = self.storage.of(f"{prefix}.0.gate_proj", experts=True)
        width = divide(inner, self.tp // self.ep)
        if stored == "fp8_block" and self.tp // self.ep > 1 and (
                width % self.storage.block[0] or width % self.storage.block[1]):
            self.block_refused.append(prefix)  # fp8.py, Fp8MoEMethod.create_weights
        self.made["experts", -(-count // self.ep), topk, width, hidden, stored] += 1

    def head(self, vocab, hidden):  # vocab_parallel_embedding.py, ParallelLMHead: padded to 64s
        self.made["dense", divide(-(-vocab // 64) * 64, self.tp), hidden, "bf16"] += 1


# ---- models/*.py

def attention(gpu, at, c, heads=None, kv=None, head=None, gate=1, o="o_proj"):
    """LlamaAttention and its like: llama.py, qwen3.py, qwen3_moe.py, mixtral.py, glm4_moe.py,
    gemma2.py, gemma3.py, gpt_oss.py, llama4.py, minimax_m2.py."""
    heads = heads or c["num_attention_heads"]
    kv = kv or c.get("num_key_value_heads") or heads
    head = head or c.get("head_dim") or c["hidden_size"] // heads
    gpu.qkv(f"{at}.self_attn.qkv_proj", c["hidden_size"], head, heads * gate, kv)
    gpu.row(f"{at}.self_attn.{o}", heads * head, c["hidden_size"])


def latent_attention(gpu, at, c, layer):
    """deepseek_v2.py, DeepseekV2MLAAttention; layers/attention/mla: kv_b's halves when decoding."""
    hidden, q_lora, kv_lora = c["hidden_size"], c.get("q_lora_rank"), c["kv_lora_rank"]
    nope, rope, value = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"]
    heads, at = c["num_attention_heads"], f"{at}.self_attn"
    if q_lora:
        gpu.merged_replicated(f"{at}.fused_qkv_a_proj", hidden, [q_lora, kv_lora + rope])
        gpu.column(f"{at}.q_b_proj", q_lora, heads * (nope + rope))
    else:
        gpu.replicated(f"{at}.kv_a_proj_with_mqa", hidden, kv_lora + rope)
        gpu.column(f"{at}.q_proj", hidden, heads * (nope + rope))
    gpu.column(f"{at}.kv_b_proj", kv_lora, heads * (nope + value))
    gpu.row(f"{at}.o_proj", heads * value, hidden)
    local = divide(heads, gpu.tp)
    gpu.made["batched", local, kv_lora, nope, "bf16"] += 1
    gpu.made["batched", local, value, kv_lora, "bf16"] += 1
    if c.get("index_n_heads") and has_indexer(c, layer):  # deepseek_v2.py, Indexer
        gpu.replicated(f"{at}.indexer.wq_b", q_lora, c["index_head_dim"] * c["index_n_heads"])
        if gpu.fused_indexer:  # wk_weights_proj, never quantised
            gpu.replicated("", hidden, c["index_head_dim"] + c["index_n_heads"], quantised=False)
        else:  # SGLang, srt/layers/attention/nsa/nsa_indexer.py
            gpu.replicated(f"{at}.indexer.wk", hidden, c["index_head_dim"])
            gpu.replicated("", hidden, c["index_n_heads"], quantised=False)


def has_indexer(c, layer):
    """deepseek_v2.py: layers that share the choice of another have none."""
    if c.get("indexer_types"):  # transformers, configuration_glm_moe_dsa.py
        return c["indexer_types"][layer] == "full"
    if c.get("index_topk_pattern"):
        return c["index_topk_pattern"][layer] != "S"
    offset, freq = c.get("index_skip_topk_offset", 2), c.get("index_topk_freq", 1)
    return max(layer - offset + 1, 0) % freq == 0


def delta_net(gpu, at, c):
    """layers/mamba/gdn/qwen_gdn_linear_attn.py, QwenGatedDeltaNetAttention."""
    key = c["linear_num_key_heads"] * c["linear_key_head_dim"]
    value = c["linear_num_value_heads"] * c["linear_value_head_dim"]
    at = f"{at}.linear_attn"
    gpu.merged(f"{at}.in_proj_qkvz", c["hidden_size"], [key, key, value, value])
    gpu.merged("", c["hidden_size"], [c["linear_num_value_heads"]] * 2, quantised=False)
    gpu.row(f"{at}.out_proj", value, c["hidden_size"])


def router(gpu, c, count):
    """ReplicatedLinear without quant_config or GateLinear; qwen3_moe.py's and lfm2_moe.py's has
    one, and checkpoints name it among the modules that are not converted."""
    gpu.replicated("", c["hidden_size"], count, quantised=False)


def deepseek(gpu, c):
    """deepseek_v2.py, DeepseekV2DecoderLayer: V2, V3, V3.2, Kimi K2, GLM-5, GLM-4.7-Flash
    (glm4_moe_lite.py)."""
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}"
        latent_attention(gpu, at, c, i)
        if i >= c.get("first_k_dense_replace", 0) and i % c.get("moe_layer_freq", 1) == 0:
            inner = c["moe_intermediate_size"]
            gpu.experts(f"{at}.mlp.experts", c["n_routed_experts"], c["num_experts_per_tok"],
                        c["hidden_size"], inner)
            router(gpu, c, c["n_routed_experts"])
            if c.get("n_shared_experts"):
                gpu.gate_up_down(f"{at}.mlp.shared_experts", c["hidden_size"],
                                 inner * c["n_shared_experts"])
        else:
            gpu.gate_up_down(f"{at}.mlp", c["hidden_size"], c["intermediate_size"])


def dense(gpu, c):
    """llama.py, qwen2.py, qwen3.py, gemma2.py, gemma3.py."""
    for i in range(c["num_hidden_layers"]):
        attention(gpu, f"model.layers.{i}", c)
        gpu.gate_up_down(f"model.layers.{i}.mlp", c["hidden_size"], c["intermediate_size"])


def all_experts(gpu, c):
    """mixtral.py, minimax_m2.py, gpt_oss.py: experts in each layer, as wide as intermediate_size."""
    for i in range(c["num_hidden_layers"]):
        attention(gpu, f"model.layers.{i}", c)
        gpu.experts(f"model.layers.{i}.mlp.experts", c["num_local_experts"],
                    c.get("num_experts_per_tok") or c["experts_per_token"], c["hidden_size"],
                    c["intermediate_size"])
        router(gpu, c, c["num_local_experts"])


def qwen_moe_layer(gpu, at, c, i, shared):
    """qwen3_moe.py, Qwen3MoeDecoderLayer; qwen3_next.py, Qwen3NextSparseMoeBlock, whose
    shared_expert_gate has one output and asks no table."""
    sparse = i not in c.get("mlp_only_layers", []) and c.get("num_experts", 0) > 0 and (
        i + 1) % c.get("decoder_sparse_step", 1) == 0
    if not sparse:
        return gpu.gate_up_down(f"{at}.mlp", c["hidden_size"], c["intermediate_size"])
    gpu.experts(f"{at}.mlp.experts", c["num_experts"], c["num_experts_per_tok"], c["hidden_size"],
                c["moe_intermediate_size"])
    router(gpu, c, c["num_experts"])
    if shared and c.get("shared_expert_intermediate_size"):
        gpu.gate_up_down(f"{at}.mlp.shared_expert", c["hidden_size"],
                         c["shared_expert_intermediate_size"])


def qwen3_moe(gpu, c):
    for i in range(c["num_hidden_layers"]):
        attention(gpu, f"model.layers.{i}", c)
        qwen_moe_layer(gpu, f"model.layers.{i}", c, i, shared=False)


def qwen3_next(gpu, c):
    """qwen3_next.py, qwen3_5.py: every n-th layer has full attention, whose queries have a gate."""
    every = c.get("full_attention_interval", 4)
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}"
        full = c["layer_types"][i] == "full_attention" if c.get("layer_types") else (
            (i + 1) % every == 0)
        if full:
            attention(gpu, at, c, gate=2 if c.get("attn_output_gate", True) else 1)
        else:
            delta_net(gpu, at, c)
        qwen_moe_layer(gpu, at, c, i, shared=True)


def glm4_moe(gpu, c):
    """glm4_moe.py, Glm4MoeDecoderLayer."""
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}"
        attention(gpu, at, c)
        if i < c["first_k_dense_replace"]:
            gpu.gate_up_down(f"{at}.mlp", c["hidden_size"], c["intermediate_size"])
            continue
        gpu.experts(f"{at}.mlp.experts", c["n_routed_experts"], c["num_experts_per_tok"],
                    c["hidden_size"], c["moe_intermediate_size"])
        router(gpu, c, c["n_routed_experts"])
        gpu.gate_up_down(f"{at}.mlp.shared_experts", c["hidden_size"],
                         c["moe_intermediate_size"] * c["n_shared_experts"])


def llama4(gpu, c):
    """llama4.py, Llama4DecoderLayer, Llama4MoE."""
    for i in range(c["num_hidden_layers"]):
        at, step = f"model.layers.{i}", c.get("interleave_moe_layer_step", 1)
        attention(gpu, at, c)
        if step > 0 and (i + 1) % step == 0:
            gpu.experts(f"{at}.feed_forward.experts", c["num_local_experts"],
                        c["num_experts_per_tok"], c["hidden_size"], c["intermediate_size"])
            router(gpu, c, c["num_local_experts"])
            gpu.gate_up_down(f"{at}.feed_forward.shared_expert", c["hidden_size"],
                             c["intermediate_size"])
        else:
            gpu.gate_up_down(f"{at}.feed_forward", c["hidden_size"], c["intermediate_size_mlp"])


def gemma4(gpu, c):
    """gemma4.py: full attention has its own head size and, where keys are values, heads; the dense
    layer stands beside the experts."""
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}"
        if c["layer_types"][i] == "full_attention":
            kv = c.get("num_global_key_value_heads") if c.get("attention_k_eq_v") else None
            attention(gpu, at, c, head=c.get("global_head_dim"), kv=kv)
        else:
            attention(gpu, at, c)
        gpu.gate_up_down(f"{at}.mlp", c["hidden_size"], c["intermediate_size"])
        if c.get("enable_moe_block"):
            gpu.experts(f"{at}.moe.experts", c["num_experts"], c["top_k_experts"],
                        c["hidden_size"], c["moe_intermediate_size"])
            router(gpu, c, c["num_experts"])


def lfm2_moe(gpu, c):
    """lfm2_moe.py; layers/mamba/short_conv.py, ShortConv."""
    for i in range(c["num_hidden_layers"]):
        at, hidden = f"model.layers.{i}", c["hidden_size"]
        if c["layer_types"][i] == "full_attention":
            attention(gpu, at, c, o="out_proj")
        else:
            gpu.merged(f"{at}.conv.in_proj", hidden, [hidden] * 3)
            gpu.row(f"{at}.conv.out_proj", hidden, hidden)
        if i < c["num_dense_layers"]:
            gpu.gate_up_down(f"{at}.feed_forward", hidden, c["intermediate_size"], ("w13", "w2"))
        else:
            gpu.experts(f"{at}.feed_forward.experts", c["num_experts"], c["num_experts_per_tok"],
                        hidden, c["moe_intermediate_size"])
            router(gpu, c, c["num_experts"])


MODELS = [
    (dense, "llama mistral qwen2 qwen3 qwen3_vl_text gemma2 gemma3_text"),
    (all_experts, "mixtral minimax_m2 gpt_oss"),
    (qwen3_moe, "qwen3_moe qwen3_vl_moe_text"),
    (qwen3_next, "qwen3_next qwen3_5_text qwen3_5_moe_text"),
    (glm4_moe, "glm4_moe"),
    (llama4, "llama4_text"),
    (gemma4, "gemma4_text"),
    (lfm2_moe, "lfm2_moe"),
    (deepseek, "deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 glm_moe_dsa glm4_moe_lite"),
]


def products(config, tp, ep=1, engine="vllm"):
    """The products, and the modules whose blocks or groups the engine would refuse to split."""
    text = config.get("text_config") or config
    storage = Storage(text.get("quantization_config") or config.get("quantization_config"))
    gpu = Gpu(storage, tp, ep)
    gpu.fused_indexer = engine == "vllm"
    kind = text.get("model_type") or config["model_type"]
    build = next((it for it, kinds in MODELS if kind in kinds.split()), None)
    if build is None:
        raise KeyError(kind)
    build(gpu, text)
    if text.get("vocab_size"):
        gpu.head(text["vocab_size"], text["hidden_size"])
    return gpu.made, gpu.block_refused
