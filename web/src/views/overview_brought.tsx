// What tuning brought, where the default was measured too, by GPU.
import type {Speedups} from '../answers';
import {urls} from '../api';
import {plural, times} from '../format';
import {withProducts} from '../known';
import {hrefOf} from '../location';
import {useResource} from '../resource';

export function Brought() {
  const {data} = useResource<Speedups>(urls.speedups({}), 60_000);
  const measured = data?.by.target.filter((it) => it.tuned_over_default.keys > 0) ?? [];
  if (measured.length === 0) return null;
  return (
    <p class="gaps">
      What tuning brought, measured:{' '}
      {measured.map(({name, tuned_over_default: {keys, geometric_mean}}) => (
        <a key={name} href={hrefOf('speedups', {target: name})}>
          {withProducts(name)}, {times(geometric_mean)} over the default by {plural(keys, 'key')}
        </a>
      ))}
    </p>
  );
}
