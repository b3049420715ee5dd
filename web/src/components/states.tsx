// What stands where data would: not here yet, nothing there, or why not.
import type {ComponentChildren} from 'preact';
import {kExported} from '../exported/mode';
import type {Problem} from '../problem';
import type {Resource} from '../resource';

export function Loading({what}: {what: string}) {
  return <p class="state" role="status">Loading {what}&hellip;</p>;
}

export function Empty({children}: {children: ComponentChildren}) {
  return <div class="state empty">{children}</div>;
}

export function Failure({problem, what}: {problem: Problem; what: string}) {
  return (
    <div class="state failure" role="alert">
      <p><strong>{sentence(problem, what)}</strong></p>
      <p>{problem.detail}</p>
    </div>
  );
}

function sentence(problem: Problem, what: string): string {
  if (kExported && problem.kind !== 'gone') return `This copy does not have ${what}.`;
  if (problem.kind === 'refused') return `A key is needed for ${what}: see "Key" at the top.`;
  return problem.status === 404 ? `There is no such thing among ${what}.` : `The server refused ${what}.`;
}

interface Props<T> {
  of: Resource<T>;
  what: string;
  children: (data: T) => ComponentChildren;
}

// The data, however old; where there is none, why.
export function With<T>({of, what, children}: Props<T>) {
  if (of.data === undefined) {
    // That nobody answers is said once, at the top of the page.
    if (of.problem?.kind === 'gone' && !kExported) return <p class="state">There is nothing of {what} yet.</p>;
    return of.problem ? <Failure problem={of.problem} what={what} /> : <Loading what={what} />;
  }
  const refused = of.problem && of.problem.kind !== 'gone' ? of.problem : undefined;
  return (
    <div class="with" aria-busy={of.settling === true}>
      {refused && <Failure problem={refused} what={what} />}
      {of.stale && (
        <p class="notice">The registry's database does not answer. These are the rows of its last snapshot.</p>
      )}
      {children(of.data)}
    </div>
  );
}

interface Choice {
  text: string;
  href: string;
}

// An address that names what does not exist: says so, and offers what does.
export function Unknown({what, name, choices}: {what: string; name: string; choices: Choice[]}) {
  return (
    <div class="state failure" role="alert">
      <p><strong>There is no {what} "{name}".</strong></p>
      {choices.length > 0 && (
        <>
          <p>There {choices.length === 1 ? 'is' : 'are'}:</p>
          <ul class="choices">
            {choices.map((choice) => <li key={choice.href}><a href={choice.href}>{choice.text}</a></li>)}
          </ul>
        </>
      )}
    </div>
  );
}
