// The frame around every view: header, navigation, and a notice if the server does not answer.
import {effect} from '@preact/signals';
import {useEffect, useRef, useState} from 'preact/hooks';
import {urls} from './api';
import {KeyDialog} from './components/buttons';
import {Search} from './components/search';
import {Unknown} from './components/view';
import {kExported} from './exported/mode';
import {age, plural, span} from './format';
import {key, theme, themeAfter} from './kept';
import {useIndex} from './known';
import {carriedTp, followLinks, hrefOf, pathOf, place} from './location';
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
        The server has not answered for {span((now.value - goneSince.value) / 1000)}. What is shown is the last that it
        said.
      </span>
      <button type="button" onClick={() => void refresh(urls.index())}>Ask again</button>
    </div>
  );
}

function RevisionMark() {
  const index = useIndex(15_000);
  if (!index.data) return null;
  const rows = index.data.families.reduce((sum, family) => sum + family.rows, 0);
  return (
    <span class="revision">
      revision {index.data.revision}
      <span class="detail"> &middot; {plural(rows, 'row')} &middot; read {age(index.at, now.value)}</span>
    </span>
  );
}

function Header({view}: {view: View | undefined}) {
  const [asking, setAsking] = useState(false);
  const tabs = useRef<HTMLUListElement>(null);
  // On a narrow screen this scrolls to the open tab.
  useEffect(() => {
    const list = tabs.current, open = list?.querySelector<HTMLElement>('[aria-current]');
    if (list && open) list.scrollLeft = open.offsetLeft - (list.clientWidth - open.offsetWidth) / 2;
  }, [view]);
  return (
    <header class="top">
      <div class="bar">
        <a class="brand" href={kExported ? pathOf('') : '/'}>tunehub</a>
        <RevisionMark />
        <Search />
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
        {!kExported &&
          <button type="button" class="plain" onClick={() => setAsking(true)}>{key.value ? 'Key: set' : 'Key'}</button>}
      </div>
      <nav aria-label="Views">
        <ul ref={tabs}>
          {kViews.filter((view) => view.listed).map((tab) =>
            <li key={tab.name}>
              <a href={hrefOf(tab.name, {tp: tab.hasTp ? carriedTp() : undefined})}
                aria-current={tab === view ? 'page' : undefined}>{tab.title}</a>
            </li>)}
        </ul>
      </nav>
      {asking && <KeyDialog onClose={() => setAsking(false)} />}
    </header>
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
        {Shown ? (
          <Shown />
        ) : (
          <Unknown
            what="view"
            name={name}
            choices={kViews.filter((view) => view.listed).map((view) => ({text: view.title, href: pathOf(view.name)}))}
          />
        )}
      </main>
    </>
  );
}
