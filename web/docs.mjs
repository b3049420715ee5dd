// node docs.mjs: makes HTML of docs/ in dist/docs, which the server serves at /docs/, and in dist/export/docs. A page's
// links stay relative, so both copies work. A link to a file outside docs/ becomes text, because readers may lack the source.
import {cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {dirname, join, posix} from 'node:path';
import {gzipSync} from 'node:zlib';
import {Marked} from 'marked';

const kSource = '../docs';
const kMade = 'dist/docs';
const kIndex = 'README.md';
const kPicture = /\.(svg|png)$/;

const filesOf = (folder) => readdirSync(folder, {recursive: true}).filter((it) => statSync(join(folder, it)).isFile());
const files = filesOf(kSource);
const textOf = (name) => readFileSync(join(kSource, name), 'utf8');
const escaped = (text) => text.replace(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`);
const plain = (markdown) => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '');

// The name of a file's page. Files that are neither pages nor pictures are shown as text.
function madeOf(name) {
  if (kPicture.test(name)) return name;
  if (!name.endsWith('.md')) return `${name}.html`;
  return posix.basename(name) === kIndex ? posix.join(posix.dirname(name), 'index.html') : name.replace(/md$/, 'html');
}

// The address of `href` for a reader of page `from`, or null if docs/ has no such file.
function addressOf(href, from) {
  if (/^([a-z]+:|#)/.test(href)) return href;
  const [path, anchor] = href.split('#');
  let name = posix.normalize(posix.join(posix.dirname(from), path)).replace(/\/$/, '');
  if (name === `../${kIndex}`) return posix.relative(posix.dirname(from), madeOf(kIndex));
  if (files.includes(posix.join(name, kIndex))) name = posix.join(name, kIndex);
  if (!files.includes(name)) return null;
  shown.add(name);
  return posix.relative(posix.dirname(from), madeOf(name)) + (anchor ? `#${anchor}` : '');
}

// An anchor as GitHub makes it of a heading.
function anchorOf(heading, seen) {
  const name = plain(heading).toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, '').replace(/ /g, '-');
  const count = seen.get(name) ?? 0;
  seen.set(name, count + 1);
  return count ? `${name}-${count}` : name;
}

function bodyOf(name) {
  const seen = new Map();
  const marked = new Marked({
    renderer: {
      html: () => '',  // comments are for the test of the documents
      heading({tokens, depth, text}) {
        return `<h${depth} id="${anchorOf(text, seen)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({href, tokens}) {
        const [to, text] = [addressOf(href, name), this.parser.parseInline(tokens)];
        return to === null ? `<span class="source" title="${escaped(href)}, in the source">${text}</span>` : `<a href="${escaped(to)}">${text}</a>`;
      },
      image: ({href, text}) => `<img src="${escaped(addressOf(href, name))}" alt="${escaped(text)}">`,
      code: ({text}) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
    },
    hooks: {
      // A wide table scrolls in a box of its own, also by keyboard.
      postprocess: (html) => html.replace(/<table>/g, '<div class="wide" tabindex="0"><table>').replace(/<\/table>/g, '</table></div>')
        .replace(/<th([^>]*)><\/th>/g, '<td$1></td>'),
    },
  });
  return marked.parse(textOf(name));
}

// The list of pages is that of docs/README.md.
const listed = [...textOf(kIndex).matchAll(/\[([^\]]+)\]\(([\w./-]+\.md)\)/g)];

function pageOf(name) {
  const up = posix.relative(posix.dirname(name), '.') || '.';
  const text = name.endsWith('.md') ? bodyOf(name) : `<h1>${escaped(name)}</h1>\n<pre tabindex="0"><code>${escaped(textOf(name))}</code></pre>`;
  const title = name.endsWith('.md') ? plain(/^# (.+)/m.exec(textOf(name))[1]) : name;
  const rows = listed.map(([, words, target]) => {
    const current = target === name ? ' aria-current="page"' : '';
    return `<li><a href="${posix.join(up, madeOf(target))}"${current}>${escaped(words)}</a></li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · tunehub</title>
<link rel="icon" href="${up}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${up}/style.css">
</head>
<body>
<header><a href="${up}/../">tunehub</a> <a href="${up}/index.html">Documents</a> <a class="more" href="#pages">All pages</a></header>
<main>
${text}</main>
<nav id="pages" aria-label="Pages"><ul>
${rows.join('\n')}
</ul></nav>
</body>
</html>
`;
}

const shown = new Set(files.filter((it) => it.endsWith('.md') || kPicture.test(it)));
rmSync(kMade, {recursive: true, force: true});
for (const name of shown) {  // pages add the files that they link
  const made = join(kMade, madeOf(name));
  mkdirSync(dirname(made), {recursive: true});
  if (kPicture.test(name)) cpSync(join(kSource, name), made);
  else writeFileSync(made, pageOf(name));
}
cpSync('docs.css', join(kMade, 'style.css'));
cpSync('src/icon.svg', join(kMade, 'icon.svg'));
cpSync(kMade, 'dist/export/docs', {recursive: true});
for (const name of filesOf(kMade).filter((it) => !it.endsWith('.png'))) {
  writeFileSync(join(kMade, `${name}.gz`), gzipSync(readFileSync(join(kMade, name)), {level: 9}));
}
