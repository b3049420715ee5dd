// Which models use which tables.
import type {Asking} from '../look';

export type Of = {gfx: string; cu_num: number};

const at = (model: string, of: Of, tp = 8): string => `model=${model}&tp=${tp}&gfx=${of.gfx}&cu_num=${of.cu_num}`;

// A model, a target, and a family that the model uses on it.
export async function pairOf({ask, of, random, models}: Asking, name = ''): Promise<{model: string; to: Of; family: string}> {
  for (const {family, target: to} of random.some(of.places, of.places.length)) {
    if (name && family.name !== name) continue;
    for (const model of random.some(models, models.length)) {
      const {families} = await ask(`/coverage?${at(model, to)}`).catch(() => ({families: []}));  // it may be impossible to split the model over 8 GPUs
      if (families.some((it: any) => it.family === family.name)) return {model, to, family: family.name};
    }
  }
  throw new Error(`vLLM reads ${name || 'no table'} for no model`);
}
