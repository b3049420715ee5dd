// The coverage of all models. GET /overview also counts models whose weights an engine refuses to split over the GPUs;
// GET /coverage knows that, as a model's page does.
import type {Overview} from './answers';
import {urls} from './api';
import {kUsualEngine} from './known';
import {useResource, type Resource} from './resource';

// Weights without blocks or groups, which no engine refuses to split.
const kWhole = ['bf16', 'fp8', 'int8'];

export interface Findings {
  model: string;
  findings: {detail: string; refused: boolean}[];
}

// A refused model has no cell, and the reason.
export const withoutRefused = (of: Overview, all: Findings[]): Overview => ({...of, models: of.models.map((its) => {
  const found = all.find(({model}) => model === its.model)?.findings.find(({refused}) => refused);
  const refused = its.refused ?? found?.detail;
  return refused ? {...its, refused, cells: its.cells.map(() => null)} : its;
})});

// `some`: the page shows only these models. `asked` null: no request.
export function useOverview(asked: {tp: string; engine: string} | null, everyMs = 0, some?: string[]): Resource<Overview> {
  const query = asked && {...asked, engine: asked.engine === kUsualEngine ? '' : asked.engine};
  const of = useResource<Overview>(query && urls.overview(query), everyMs), {targets: [on] = [], models = []} = of.data ?? {};
  const doubted = models.filter(({model, scheme, cells, refused}) => !refused && !kWhole.includes(scheme) &&
    cells.some((cell) => cell) && (!some || some.includes(model)));
  const findings = useResource<Findings[]>(query && on && doubted.length > 0 ? urls.several(doubted.map(({model}) =>
    urls.findings({...query, model, gfx: on.gfx, cu_num: on.cu_num, product: on.products[0]}))) : null);
  return {...of, data: of.data && !findings.loading ? withoutRefused(of.data, findings.data ?? []) : undefined};
}
