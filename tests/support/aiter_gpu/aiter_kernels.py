"""Computes the results of AITER's compiled modules on the host, and invents a GPU's times.

Among a GEMM's candidates, one is the fastest correct one. Another is faster but wrong, so AITER must reject it.
"""
import enum
import functools

DEFAULT_US, BEST_US = 80.0, 10.0
BEST, WRONG = 3, 5  # ids of candidates: the fastest correct one, and a faster one whose result is wrong
launched = []  # (name, us) since the profiler started


def blockscale(x, weight, x_scale, w_scale, out, us, name):
    launched.append((name, us))
    wide = w_scale.repeat_interleave(128, 0)[:weight.shape[0]].repeat_interleave(128, 1)
    return out.copy_((x.float() * x_scale.repeat_interleave(128, 1)) @ (weight.float() * wide).T)


def unshuffled(weight):  # undoes shuffle_weight(layout=(16, 16))
    each = 16 // weight.element_size()
    return (weight.view(-1, weight.shape[-2] // 16, weight.shape[-1] // 32, 32 // each, 16, each)
            .permute(0, 1, 4, 2, 3, 5).reshape(weight.shape))


def candidate_us(place):
    return {BEST: BEST_US, WRONG: BEST_US / 2}.get(place, DEFAULT_US if place < 0 else 20.0 + place)


def hipb_mm(x, weight, solution, bias=None, out_dtype=None, scaleA=None, scaleB=None, scaleOut=None, bpreshuffle=False):
    launched.append(("Cijk_%d" % solution, candidate_us(solution)))
    out = (x.float() @ unshuffled(weight.t()).float().T).to(out_dtype)
    return out.zero_() if solution == WRONG else out


def gemm_a8w8_blockscale(x, weight, x_scale, w_scale, out, splitK=0, kernelName=""):
    us = BEST_US if kernelName else DEFAULT_US
    return blockscale(x, weight, x_scale, w_scale, out, us, kernelName or "default")


def gemm_a8w8_blockscale_tune(x, weight, x_scale, w_scale, out, kernelId=0, splitK=0):
    blockscale(x, weight, x_scale, w_scale, out, candidate_us(kernelId), "candidate")
    return out.zero_() if kernelId == WRONG else out


def moe_stage(stage, given, w1, w2, ids, experts, valid, out, topk, name, w_scale, a_scale, block, weights,
              quant, act=0, *rest, **options):
    import torch
    from aiter import fused_moe
    launched.append((name or "default", BEST_US if name else DEFAULT_US))
    chosen, shares = torch.zeros(len(out), topk, dtype=torch.int32), torch.ones(len(out), topk)
    for place, packed in enumerate(ids[:valid[0]].tolist()):  # undoes the sorting
        if packed & 0xffffff < len(out):
            at = packed & 0xffffff, packed >> 24
            chosen[at], shares[at] = experts[place // block], 1 if weights is None else weights[place]
    w1, w2 = unshuffled(w1), unshuffled(w2)
    before, after = (given, w1, w2, shares, chosen, out.dtype), {"doweight": weights is not None}
    act, quant = OPS["ActivationType"](act), OPS["QuantType"](quant)
    out.copy_(fused_moe.torch_moe_stage1(*before, act, quant, a_scale, w_scale, **after) if stage == 1 else
              fused_moe.torch_moe_stage2(*before, quant, w_scale, a_scale, **after))


def topk_softmax(weights, ids, indices, gating, workspace, renormalize, *rest):
    best = gating.float().softmax(-1).topk(weights.shape[1])
    weights.copy_(best.values / best.values.sum(-1, keepdim=True) if renormalize else best.values)
    ids.copy_(best.indices)


def moe_sorting_opus_fwd(topk_ids, topk_weights, ids, weights, experts, valid, out, count, block, *rest):
    ids.fill_(topk_ids.shape[1] << 24 | len(topk_ids))
    weights.zero_()
    place = 0
    for expert in range(count):
        token, slot = (topk_ids == expert).nonzero(as_tuple=True)
        end = place + len(token)
        ids[place:end], weights[place:end] = slot << 24 | token, topk_weights[token, slot]
        end += -end % block
        experts[place // block:end // block] = expert
        place = end
    valid[0], valid[1] = place, len(topk_ids)


def dynamic_per_token_scaled_quant(out, given, scales, *rest, **options):
    from aiter.ops.quant import pertoken_quant
    quantized, scale = pertoken_quant(given.view(out.shape), quant_dtype=out.dtype)
    out.copy_(quantized)
    scales.copy_(scale.view(scales.shape))


def getPaddedM(M, N, K, level):
    if level:
        return 8192 if M > 8192 and N > 4096 else 1 << max(M - 1, 0).bit_length()
    step = next((step for limit, step in ((256, 16), (1024, 32), (4096, 64)) if M <= limit), 128)
    return -(-M // step) * step


def members(name, names, first=0):
    values = {it: place for place, it in enumerate(names.split(), first)}
    kind = enum.Enum(name, values, module="module_aiter_core")  # worker processes find the class by its module
    kind.__int__ = kind.__index__ = lambda self: self.value
    return kind


OPS = {it.__name__: it for it in (gemm_a8w8_blockscale, gemm_a8w8_blockscale_tune, getPaddedM, topk_softmax, hipb_mm,
                                  moe_sorting_opus_fwd, dynamic_per_token_scaled_quant)}
OPS.update(hipb_create_extension=lambda: None, hipb_findallsols=lambda *given, **options: list(range(8)),
           getHipblasltKernelName=lambda solution: "Cijk_%d" % solution,
           ck_moe_stage1=functools.partial(moe_stage, 1), ck_moe_stage2=functools.partial(moe_stage, 2),
           moe_sorting_opus_get_workspace_size=lambda *sizes: 0, _set_current_hip_stream=lambda stream: None,
           ActivationType=members("ActivationType", "No Silu Gelu Swiglu Situv2", -1),
           MlaVersion=members("MlaVersion", "V32 V40"),
           QuantType=members("QuantType", "No per_Tensor per_Token per_1x32 per_1x128 per_128x128 "
                             "per_256x128 per_1024x128"))


def op(name):
    def missing(*args, **kwargs):
        raise RuntimeError("kernel %s is not at hand" % name)
    found = OPS.get(name, missing)
    found.__doc__ = "Members:"  # with any other docstring AITER would check the function's signature
    return found
