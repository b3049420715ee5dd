// How the figures of what to tune are made.
import type {Worth} from '../answers';
import {percent, plural} from '../format';

export function Formula({of}: {of: Worth}) {
  return (
    <details class="formula">
      <summary>How the figures are made</summary>
      <p>
        Roofline = max(flops / peak of the number format, least bytes / peak of the memory): no kernel is faster, as long as its inputs are not in a cache.
        A share above 100 % says that they were, when it was measured.{' '}
        {of.peaks.map((it) => `${it.product}: ${it.memory_gb_s === undefined ? 'no figures' : `${it.memory_gb_s} GB/s; ${Object.entries(it.tflops ?? {}).map(([name, value]) => `${name} ${value}`).join(', ')} TFLOPS`}. `)}
        {of.product ? `Judged by ${of.product}.` : of.peaks.length > 1 && 'Rows name no product: the slower roofline of these counts.'}
      </p>
      <p>
        Per token = &Sigma; weight &times; time / M, over the layer's shapes, times the layers that make it. The buckets of M (1, 2, 3{'\u2013'}4, {'\u2026'}, 16,384) weigh as much as
        what was missed in them; where nothing was missed, all the same. Lost: the time of the row that is found, less its roofline. Brought: default less tuned, where both were measured.
        Worth: default less tuned, of shapes that are not tuned. It is never measured before, and so always estimated: a range where the error is above {percent(of.sure_error)}, or
        known by fewer than {plural(of.fewest_keys, 'key')} (the range is from the 10th to the 90th percentile of what the held-out keys were off by).
      </p>
      <p>
        The tuned time is that of the nearest tuned key (same N and K, else another), times the ratio of the rooflines; else the sibling target's, times the median ratio of what both have; else
        the roofline, over the family's median share. The default's is the measured one; else tuned times default over tuned of the nearest key of the gfx where both were measured.
        The error is the median of |estimate / actual {'\u2212'} 1| over the keys of the gfx where the answer was measured, each estimated without itself.
        A layer that several families could run counts in each of them, and so in the sums of the cell. A row that nobody measured is no basis: measure it first. GPU hours = shapes &times; seconds of a shape in finished jobs.
      </p>
    </details>
  );
}
