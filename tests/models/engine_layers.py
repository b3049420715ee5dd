"""The matrix products of vLLM's layers, written again from its Python source, class by class. Nothing here comes from
this project's code. File names are those of vllm/model_executor; SGLang's files are named where its layers differ.
products() counts, by these keys, how many layers make each product on one GPU: ("dense", N, K, stored), ("batched", B,
N, K, "bf16"), ("experts", E, topk, width, hidden, stored)
"""
import collections
import fnmatch
import re


class Refused(Exception):
    """An engine that refuses to start."""


def divide(figure, gpus):  # vllm/distributed/utils.py, divide
    if figure % gpus:
        raise Refused(f"{figure} / {gpus}")
    return figure // gpus


# packed_modules_mapping of the models' classes: the layers of a checkpoint that form one layer here.
PACKED = {"qkv_proj": ["q_proj", "k_proj", "v_proj"], "gate_up_proj": ["gate_proj", "up_proj"], "w13": ["w1", "w3"],
          "fused_qkv_a_proj": ["q_a_proj", "kv_a_proj_with_mqa"]}


class Storage:
    """layers/quantization: how a layer is stored."""

    def __init__(self, config):
        self.config = config or {}
        self.method = self.config.get("quant_method", "")
        self.block = self.config.get("weight_block_size")
        listed = [n for it in ("ignore", "modules_to_not_convert", "exclude") for n in self.config.get(it) or []]
        if self.method == "modelopt":  # modelopt.py, is_layer_excluded: fnmatch of the names that a model's mapper gives
            listed = [re.sub(r"^(model\.language_model|language_model\.model)\.", "model.", it) for it in listed]
            listed = ["re:" + fnmatch.translate(it) if "*" in it else it for it in listed]
        self.names = set(listed)
        # compressed_tensors/utils.py, should_ignore_layer. "*" stands for layers that real configs list individually.
        self.patterns = [re.compile(it[3:] if it.startswith("re:") else re.escape(it).replace(r"\*", r"[^.]*") + r"(\.|$)")
                         for it in listed if it.startswith("re:") or "*" in it]

    def _ignores(self, module):
        parts = module.split(".")
        return (any(".".join(parts[:i]) in self.names for i in range(1, len(parts) + 1)) or
                any(it.match(module) for it in self.patterns))

    def of(self, prefix, experts=False):
        name = prefix.split(".")[-1]
        parts = {self._ignores(prefix[: -len(name)] + it) for it in PACKED.get(name, [name])}
        if len(parts) > 1:  # quant_utils.py, is_layer_skipped
            raise Refused(f"{prefix} is stored in two ways")
        if not self.method or (self.method != "mxfp4" and True in parts):
            return "bf16"
        if self.method == "mxfp4":  # mxfp4.py: linear layers fall back to unquantised ones
            return "mxfp4" if experts else "bf16"
        if self.method == "fp8":  # fp8.py, Fp8Config
            return "fp8_block" if self.block else "fp8"
        if self.method == "quark":  # quark/quark.py, QuarkOCP_MX of weights and inputs
            return "fp4"
        group = self.config["config_groups"]["group_0"]  # compressed_tensors.py
        if group["weights"]["num_bits"] == 4:  # or modelopt.py, whose NVFP4 has a scale for 16 inputs
            return "nvfp4" if group["weights"]["type"] == "float" and group["weights"]["group_size"] == 16 else "int4"
        kind = "fp8" if group["weights"]["type"] == "float" else "int8"
        return kind if group.get("input_activations") else "int8_weights"


class Gpu:
    """One rank. It collects its layers' products. Follows layers/linear.py, except in the last two functions."""

    def __init__(self, storage, tp, ep, engine):
        self.storage, self.tp, self.ep, self.engine = storage, tp, ep, engine
        self.made = collections.Counter()
        self.refused_blocks = []

    def _linear(self, prefix, parts, k, split_n=False, split_k=False):
        stored = self.storage.of(prefix) if prefix else "bf16"
        if stored == "fp8_block":  # fp8_utils.py, validate_fp8_block_shape
            block_n, block_k = self.storage.block
            checked = parts if split_n else parts[:-1]
            if (split_k and k % block_k) or any(it % block_n for it in checked):
                self.refused_blocks.append(prefix)
        self.made["dense", sum(parts), k, stored] += 1

    def replicated(self, prefix, k, *parts):  # ReplicatedLinear; with parts merged, disable_tp
        self._linear(prefix, list(parts), k)

    def column(self, prefix, k, *parts):  # ColumnParallelLinear, MergedColumnParallelLinear
        self._linear(prefix, [divide(it, self.tp) for it in parts], k, split_n=self.tp > 1)

    def row(self, prefix, k, n):  # RowParallelLinear
        self._linear(prefix, [n], divide(k, self.tp), split_k=self.tp > 1)

    def qkv(self, prefix, hidden, head, heads, kv_heads):  # QKVParallelLinear
        q = divide(heads, self.tp)
        kv = divide(kv_heads, self.tp) if kv_heads > self.tp else 1
        if kv_heads <= self.tp:
            divide(self.tp, kv_heads)
        self._linear(prefix, [q * head, kv * head, kv * head], hidden, split_n=self.tp > 1)

    def feed_forward(self, prefix, hidden, inner, up="gate_up_proj", down="down_proj"):
        self.column(f"{prefix}.{up}", hidden, inner, inner)
        self.row(f"{prefix}.{down}", inner, hidden)

    def experts(self, prefix, count, topk, hidden, inner):
        """fused_moe/layer.py, FusedMoE, and its router, a ReplicatedLinear without quant_config or a GateLinear (that
        of qwen3_moe.py and lfm2_moe.py has one, and checkpoints exclude it). With EP whole experts are split. SGLang's
        srt/layers/moe/fused_moe_triton/layer.py splits their width over the rest of TP."""
        stored = self.storage.of(f"{prefix}.0.gate_proj", experts=True)
        split = self.tp // self.ep
        width = divide(inner, split)
        if stored == "fp8_block" and (width % self.storage.block[0] or split > 1 and width % self.storage.block[1]):
            self.refused_blocks.append(prefix)  # fp8.py, Fp8MoEMethod.create_weights
        self.made["experts", -(-count // self.ep), topk, width, hidden, stored] += 1
        self.replicated("", hidden, count)

    def head(self, vocab, hidden):  # vocab_parallel_embedding.py, ParallelLMHead: padded to 64s
        self.made["dense", divide(-(-vocab // 64) * 64, self.tp), hidden, "bf16"] += 1


def attention(gpu, at, c, kv=None, head=None, gate=1, out="o_proj"):
    """LlamaAttention, Qwen3Attention, Gemma2Attention, MixtralAttention, OAIAttention and their like."""
    heads = c["num_attention_heads"]
    head = head or c.get("head_dim") or c["hidden_size"] // heads
    gpu.qkv(f"{at}.self_attn.qkv_proj", c["hidden_size"], head, heads * gate,
            kv or c.get("num_key_value_heads") or heads)
    gpu.row(f"{at}.self_attn.{out}", heads * head, c["hidden_size"])


def latent_attention(gpu, at, c, layer):
    """models/deepseek_v2.py, DeepseekV2MLAAttention; attention/mla: the halves of kv_b when it decodes."""
    hidden, q_lora, kv_lora, heads = (c.get(it) for it in (
        "hidden_size", "q_lora_rank", "kv_lora_rank", "num_attention_heads"))
    nope, rope, value, at = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"], f"{at}.self_attn"
    if q_lora:
        gpu.replicated(f"{at}.fused_qkv_a_proj", hidden, q_lora, kv_lora + rope)
        gpu.column(f"{at}.q_b_proj", q_lora, heads * (nope + rope))
    else:
        gpu.replicated(f"{at}.kv_a_proj_with_mqa", hidden, kv_lora + rope)
        gpu.column(f"{at}.q_proj", hidden, heads * (nope + rope))
    gpu.column(f"{at}.kv_b_proj", kv_lora, heads * (nope + value))
    gpu.row(f"{at}.o_proj", heads * value, hidden)
    gpu.made["batched", divide(heads, gpu.tp), kv_lora, nope, "bf16"] += 1
    gpu.made["batched", divide(heads, gpu.tp), value, kv_lora, "bf16"] += 1
    if not c.get("index_n_heads") or not has_indexer(c, layer):
        return
    gpu.replicated(f"{at}.indexer.wq_b", q_lora, c["index_head_dim"] * c["index_n_heads"])
    if gpu.engine == "vllm":  # Indexer.wk_weights_proj, without quant_config
        gpu.replicated("", hidden, c["index_head_dim"], c["index_n_heads"])
    else:  # SGLang, srt/layers/attention/dsa/dsa_indexer.py: fused only on CUDA
        gpu.replicated(f"{at}.indexer.wk", hidden, c["index_head_dim"])
        gpu.replicated("", hidden, c["index_n_heads"])


def has_indexer(c, layer):
    """A layer without an indexer uses the keys of an earlier layer."""
    if c.get("indexer_types"):  # the configs of GLM-5.2
        return c["indexer_types"][layer] == "full"
    return max(layer - c.get("index_skip_topk_offset", 2) + 1, 0) % c.get("index_topk_freq", 1) == 0


def delta_net(gpu, at, c):
    """mamba/gdn/qwen_gdn_linear_attn.py, QwenGatedDeltaNetAttention."""
    key, value = (c[f"linear_num_{it}_heads"] * c[f"linear_{it}_head_dim"] for it in ("key", "value"))
    heads, at = c["linear_num_value_heads"], f"{at}.linear_attn"
    gpu.column(f"{at}.in_proj_qkvz", c["hidden_size"], key, key, value, value)
    gpu.column("", c["hidden_size"], heads, heads)  # in_proj_ba, which no block fits
    gpu.row(f"{at}.out_proj", value, c["hidden_size"])


def deepseek_layer(gpu, at, c, i):
    """models/deepseek_v2.py, DeepseekV2DecoderLayer: V3, V3.2, Kimi K2, GLM-5, glm4_moe_lite.py. models/glm4_moe.py,
    Glm4MoeDecoderLayer, with attention of its own."""
    if c.get("kv_lora_rank"):
        latent_attention(gpu, at, c, i)
    else:
        attention(gpu, at, c)
    if i < c.get("first_k_dense_replace", 0) or i % c.get("moe_layer_freq", 1):
        return gpu.feed_forward(f"{at}.mlp", c["hidden_size"], c["intermediate_size"])
    inner = c["moe_intermediate_size"]
    gpu.experts(f"{at}.mlp.experts", c["n_routed_experts"], c["num_experts_per_tok"], c["hidden_size"], inner)
    if c.get("n_shared_experts"):
        gpu.feed_forward(f"{at}.mlp.shared_experts", c["hidden_size"], inner * c["n_shared_experts"])


def dense_layer(gpu, at, c, _):
    """models/llama.py, qwen2.py, qwen3.py, gemma2.py, gemma3.py."""
    attention(gpu, at, c)
    gpu.feed_forward(f"{at}.mlp", c["hidden_size"], c["intermediate_size"])


def expert_layer(gpu, at, c, _):
    """models/mixtral.py, minimax_m2.py, gpt_oss.py: experts as wide as intermediate_size, in each layer."""
    attention(gpu, at, c)
    topk = c.get("num_experts_per_tok") or c["experts_per_token"]
    gpu.experts(f"{at}.mlp.experts", c["num_local_experts"], topk, c["hidden_size"], c["intermediate_size"])


def qwen_layer(gpu, at, c, i):
    """models/qwen3_moe.py, Qwen3MoeDecoderLayer; qwen3_next.py and qwen3_5.py, whose queries carry a gate. Their
    shared_expert_gate has one output and reads no table."""
    if c.get("linear_num_key_heads"):
        every = c.get("full_attention_interval", 4)
        listed = c.get("layer_types")
        if listed[i] == "full_attention" if listed else (i + 1) % every == 0:
            attention(gpu, at, c, gate=2 if c.get("attn_output_gate", True) else 1)
        else:
            delta_net(gpu, at, c)
    else:
        attention(gpu, at, c)
    if i in c.get("mlp_only_layers", []) or not c.get("num_experts") or (i + 1) % c.get("decoder_sparse_step", 1):
        return gpu.feed_forward(f"{at}.mlp", c["hidden_size"], c["intermediate_size"])
    gpu.experts(f"{at}.mlp.experts", c["num_experts"], c["num_experts_per_tok"], c["hidden_size"],
                c["moe_intermediate_size"])
    if c.get("shared_expert_intermediate_size"):
        gpu.feed_forward(f"{at}.mlp.shared_expert", c["hidden_size"], c["shared_expert_intermediate_size"])


def llama4_layer(gpu, at, c, i):
    """models/llama4.py, Llama4DecoderLayer, Llama4MoE."""
    attention(gpu, at, c)
    hidden, inner, at = c["hidden_size"], c["intermediate_size"], f"{at}.feed_forward"
    if (i + 1) % c.get("interleave_moe_layer_step", 1):
        return gpu.feed_forward(at, hidden, c["intermediate_size_mlp"])
    gpu.experts(f"{at}.experts", c["num_local_experts"], c["num_experts_per_tok"], hidden, inner)
    gpu.feed_forward(f"{at}.shared_expert", hidden, inner)


def gemma4_layer(gpu, at, c, i):
    """models/gemma4.py: full attention has its own head size, and each layer has a dense part beside the experts."""
    full = c["layer_types"][i] == "full_attention"
    attention(gpu, at, c, kv=c.get("num_global_key_value_heads") if full and c.get("attention_k_eq_v") else None,
              head=c.get("global_head_dim") if full else None)
    gpu.feed_forward(f"{at}.mlp", c["hidden_size"], c["intermediate_size"])
    if c.get("enable_moe_block"):
        gpu.experts(f"{at}.experts", c["num_experts"], c["top_k_experts"], c["hidden_size"], c["moe_intermediate_size"])


def lfm2_layer(gpu, at, c, i):
    """models/lfm2_moe.py; mamba/short_conv.py, ShortConv."""
    hidden, ff = c["hidden_size"], f"{at}.feed_forward"
    if c["layer_types"][i] == "full_attention":
        attention(gpu, at, c, out="out_proj")
    else:
        gpu.column(f"{at}.conv.in_proj", hidden, hidden, hidden, hidden)
        gpu.row(f"{at}.conv.out_proj", hidden, hidden)
    if i < c["num_dense_layers"]:
        return gpu.feed_forward(ff, hidden, c["intermediate_size"], "w13", "w2")
    gpu.experts(f"{ff}.experts", c["num_experts"], c["num_experts_per_tok"], hidden, c["moe_intermediate_size"])


MODELS = {
    dense_layer: "llama mistral qwen2 qwen3 qwen3_vl_text gemma2 gemma3_text",
    expert_layer: "mixtral minimax_m2 gpt_oss",
    qwen_layer: "qwen3_moe qwen3_vl_moe_text qwen3_next qwen3_5_text qwen3_5_moe_text",
    deepseek_layer: "deepseek_v2 deepseek_v3 deepseek_v32 kimi_k2 glm_moe_dsa glm4_moe glm4_moe_lite",
    llama4_layer: "llama4_text",
    gemma4_layer: "gemma4_text",
    lfm2_layer: "lfm2_moe",
}


def products(config, tp, ep=1, engine="vllm", storage=Storage):
    """The products, and the layers whose blocks the engine would refuse to split this way."""
    text = config.get("text_config") or config
    gpu = Gpu(storage(text.get("quantization_config") or config.get("quantization_config")), tp, ep, engine)
    layer = next(it for it, kinds in MODELS.items() if text["model_type"] in kinds.split())
    for i in range(text["num_hidden_layers"]):
        layer(gpu, f"model.layers.{i}", text, i)
    if text.get("vocab_size"):
        gpu.head(text["vocab_size"], text["hidden_size"])
    return gpu.made, gpu.refused_blocks
