// The context of the page as controls under the navigation. A control that the open place does not read is disabled,
// and keeps its value.
import {kStored, devicesOf, optionsOf, type Context, type ContextName} from '../context';
import {kEngines, useIndex, useModels} from '../known';
import {go, hrefOf, place, setContext} from '../location';
import {Select, TextFilter} from './controls';
import {Unknown} from './view';

interface Props {
  of: Context;
  reads: readonly ContextName[];
}

export function ContextBar({of, reads}: Props) {
  const models = useModels().data?.models ?? [], devices = devicesOf(useIndex().data);
  const bound = {values: of.values, set: setContext};
  // Kernels of all devices must not name one of them.
  const {view, query} = place.value, {scope, ...rest} = Object.fromEntries(new URLSearchParams(query));
  const isAll = view === 'kernels' && scope === 'all';
  const off = (name: ContextName) => !reads.includes(name);
  const deviceOptions = optionsOf(devices, of.values.device);
  const modelOptions = models.map(({model, title}) => ({value: model, text: title ?? model}));
  return (
    <form class="context" aria-label="Context" onSubmit={(event) => event.preventDefault()}>
      <Select of={bound} name="model" label="Model" off={off('model')} options={modelOptions} />
      <Select of={bound} name="device" label="Device" off={off('device')} value={isAll ? '' : undefined}
        options={isAll ? [{value: '', text: 'all devices'}, ...deviceOptions] : deviceOptions}
        onChange={(device) => (isAll ? go(hrefOf(view, {...rest, device})) : setContext({device}))} />
      <TextFilter of={bound} name="tp" label="TP" off={off('tp')} numeric />
      <Select of={bound} name="engine" label="Engine" off={off('engine')} options={kEngines} />
      <Select of={bound} name="stored" label="Weights" off={off('stored')} options={kStored} />
      <Select of={bound} name="against" label="Compare with" off={off('against')}
        options={[{value: '', text: 'no other device'}, ...deviceOptions]} />
    </form>
  );
}

const kNames: Record<ContextName, string> =
  {model: 'model', device: 'device', tp: 'TP', engine: 'engine', stored: 'storage', against: 'second device'};

// Says which names in the address are unknown, and offers the nearest known ones.
export function UnknownContext({of, href}: {of: Context; href: (values: Record<string, string>) => string}) {
  return (
    <>
      {of.unknown.map(({name, value, nearest}) =>
        <Unknown key={name} what={kNames[name]} name={value}
          choices={nearest.map((text) => ({text, href: href({[name]: text})}))} />)}
    </>
  );
}
