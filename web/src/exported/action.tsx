// A button that writes: there is nobody to write to. Takes the place of components/action.tsx.
export function Action(_: {label: string; act: () => Promise<string>; sure?: unknown}) {
  return null;
}
