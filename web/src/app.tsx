// The frame around every view: header, navigation, and a notice if the server does not answer.
import {effect} from '@preact/signals';
import {useEffect, useRef, useState} from 'preact/hooks';
import {urls} from './api';
import {KeyDialog} from './components/buttons';
import {ContextBar, UnknownContext} from './components/context_bar';
import {Search} from './components/search';
import {Unknown} from './components/view';
import {useContext} from './context';
import {kExported} from './exported/mode';
import {age, plural, span} from './format';
import {key, theme, themeAfter} from './kept';
import {useIndex} from './known';
import {docOf, followLinks, hrefOf, pathOf, place, setContext} from './location';
import {goneSince, now, refresh} from './resource';
import {kViews, type View} from './views';

followLinks();
effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
});

function Gone() {
  if (goneSince.value === 0) return null;
  return (
    <div class="gone" role="alert">
      <span>
        The server has not answered for {span((now.value - goneSince.value) / 1000)}. This page shows its last
        answers.
      </span>
      <button type="button" onClick={() => void refresh(urls.index())}>Retry</button>
    </div>
  );
}

function RevisionMark() {
  const index = useIndex(15_000);
  if (!index.data) return <span class="revision" />;
  const rows = index.data.families.reduce((sum, family) => sum + family.rows, 0);
  return (
    <span class="revision">
      revision {index.data.revision}
      <span class="detail"> &middot; {plural(rows, 'row')} &middot; checked {age(index.at, now.value)}</span>
    </span>
  );
}

// Everything that is not a place: the theme, the key, and pages that few people open.
function Menu({view}: {view: View | undefined}) {
  const [asking, setAsking] = useState(false);
  const box = useRef<HTMLDetailsElement>(null);
  const close = () => box.current?.removeAttribute('open');
  useEffect(close, [view]);
  return (
    <>
      <details class="menu" ref={box} onKeyDown={(event) => event.key === 'Escape' && close()}>
        <summary>Menu</summary>
        <div>
          {!kExported && kViews.filter(({listed}) => listed === 'menu').map(({name, title}) =>
            <a key={name} href={hrefOf(name)} aria-current={name === view?.name ? 'page' : undefined}>{title}</a>)}
          <a href={docOf('')}>Documents</a>
          {!kExported &&
            <button type="button" class="plain" onClick={() => { close(); setAsking(true); }}>
              {key.value ? 'API key: set' : 'API key'}
            </button>}
          <button
            type="button"
            class="plain"
            aria-label={`Theme: ${theme.value}; switch to ${themeAfter(theme.value)}`}
            onClick={() => {
              theme.value = themeAfter(theme.value);
            }}
          >
            Theme: {theme.value}
          </button>
        </div>
      </details>
      {asking && <KeyDialog onClose={() => setAsking(false)} />}
    </>
  );
}

function Header({view}: {view: View | undefined}) {
  return (
    <header class="top">
      <div class="bar">
        <a class="brand" href={hrefOf('')}>tunehub</a>
        <nav aria-label="Places">
          <ul>
            {kViews.filter(({listed}) => listed === 'bar').map((place) =>
              <li key={place.name}>
                <a href={hrefOf(place.name)} aria-current={place === view ? 'page' : undefined}>{place.title}</a>
              </li>)}
          </ul>
        </nav>
        <Search />
        <RevisionMark />
        <Menu view={view} />
      </div>
    </header>
  );
}

// The context bar. Writes the defaults of what the place reads into the address.
function ContextOf({view}: {view: View}) {
  const context = useContext();
  const asked = Object.fromEntries(new URLSearchParams(place.value.query));
  const reads = typeof view.reads === 'function' ? view.reads(asked) : view.reads;
  const missing = reads.filter((name) => context?.values[name] && !asked[name]);
  useEffect(() => {
    if (context && missing.length > 0) {
      setContext(Object.fromEntries(missing.map((name) => [name, context.values[name]])), 'replace');
    }
  }, [missing.join()]);
  // If the place reads no context, only the address keeps it.
  if (reads.length === 0) return null;
  if (!context) return <div class="context" />;
  return (
    <>
      <ContextBar of={context} reads={reads} />
      <UnknownContext of={context} href={(values) => hrefOf(view.name, {...asked, ...values})} />
    </>
  );
}

export function App() {
  const name = place.value.view;
  const view = kViews.find((view) => view.name === name);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  useEffect(() => {
    // A screen reader announces the new view.
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [view]);
  const Shown = view?.component;
  return (
    <>
      <a class="skip" href="#main">Skip to the content</a>
      <Header view={view} />
      <Gone />
      <main id="main" ref={main} tabIndex={-1}>
        {view && <ContextOf view={view} />}
        {Shown ? (
          <Shown />
        ) : (
          <Unknown
            what="view"
            name={name}
            choices={kViews.filter((view) => view.listed !== 'no')
              .map((view) => ({text: view.title, href: pathOf(view.name)}))}
          />
        )}
      </main>
    </>
  );
}
