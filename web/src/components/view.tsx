// A view's heading, its data, and the messages instead of data: loading, empty, failed.
import type {ComponentChildren} from 'preact';
import {useEffect} from 'preact/hooks';
import {kExported} from '../exported/mode';
import type {Filters} from '../location';
import type {Problem} from '../problem';
import type {Resource} from '../resource';

export const Empty = ({children}: {children: ComponentChildren}) => <div class="state empty">{children}</div>;

function Failure({problem, what}: {problem: Problem; what: string}) {
  return (
    <div class="state failure" role="alert">
      <p><strong>{sentence(problem, what)}</strong></p>
      <p>{problem.detail}</p>
    </div>
  );
}

function sentence(problem: Problem, what: string): string {
  if (kExported && problem.kind !== 'gone') return `This copy does not have ${what}.`;
  if (problem.kind === 'refused') return `Reading ${what} needs a key: see "API key" in the menu.`;
  return problem.status === 404 ? `Not found among ${what}.` : `The server refused ${what}.`;
}

interface WithProps<T> {
  of: Resource<T>;
  what: string;
  children: (data: T) => ComponentChildren;
}

// Shows the data, even old data, or the reason why there is none.
export function With<T>({of, what, children}: WithProps<T>) {
  if (of.data === undefined) {
    if (of.problem?.kind === 'gone' && !kExported) {
      return <p class="state">The request for {what} failed without an answer. The page repeats it.</p>;
    }
    return of.problem ? <Failure problem={of.problem} what={what} />
      : <p class="state" role="status">Loading {what}&hellip;</p>;
  }
  const refused = of.problem && of.problem.kind !== 'gone' ? of.problem : undefined;
  return (
    <div class="with" aria-busy={of.settling === true}>
      {refused && <Failure problem={refused} what={what} />}
      {of.stale &&
        <p class="notice">The registry's database does not answer. These are the rows of its last snapshot.</p>}
      {children(of.data)}
    </div>
  );
}

// Shows that the address has an unknown name, and lists the known ones.
export function Unknown({what, name, choices}: {what: string; name: string; choices: {text: string; href: string}[]}) {
  return (
    <div class="state failure" role="alert">
      <p><strong>There is no {what} "{name}".</strong></p>
      {choices.length > 0 &&
        <>
          <p>The nearest known names:</p>
          <ul class="choices">
            {choices.map((choice) => <li key={choice.href}><a href={choice.href}>{choice.text}</a></li>)}
          </ul>
        </>}
    </div>
  );
}

export const Facts = ({of}: {of: [string, string][]}) => (
  <dl class="facts">{of.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}=`}>{value}</dd>])}</dl>
);

interface HeadProps {
  title: string;
  filters?: Filters;
  children?: ComponentChildren;
}

// The heading, which is also the page's title, and a notice about unknown filters.
export function ViewHead({title, filters, children}: HeadProps) {
  useEffect(() => {
    document.title = `${title} \u00b7 tunehub`;
  }, [title]);
  return (
    <>
      <div class="view-head">
        <h1>{title}</h1>
        {children && <p class="lead">{children}</p>}
      </div>
      {filters && filters.unknown.length > 0 &&
        <p class="notice" role="alert">
          This view has no filter {filters.unknown.map((name) => `"${name}"`).join(', ')}.
          {filters.names.length > 0 && ` Its filters are: ${filters.names.join(', ')}.`} <a href={filters.href({})}>
            Leave it out
          </a>
        </p>}
    </>
  );
}

// A static export shows this instead of a view that needs a server.
export const needsServer = (title: string, why: string) =>
  function NeedsServer() {
    return (
      <>
        <ViewHead title={title} />
        <Empty>
          <p><strong>This view needs a server.</strong></p>
          <p>This page is a static export: files without a server. {why}</p>
        </Empty>
      </>
    );
  };
