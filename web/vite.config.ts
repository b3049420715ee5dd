import {execFileSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {defineConfig, type Plugin} from 'vite';

// The server sends these bytes as they are: packed once, by what packs tightest (4 % below gzip -9).
function packed(): Plugin {
  const pack = (file: string) => execFileSync('zopfli', [file]);
  return {
    name: 'packed',
    closeBundle() {
      pack('dist/index.html');
      // Also called by a build that failed, before the folder was emptied.
      const made = readdirSync('dist/assets').filter((name) => !name.endsWith('.gz'));
      for (const name of made) pack(join('dist/assets', name));
    },
  };
}

// The page of a static export: the same views on other modules, which read files. Each stands in
// exported/ under the name of the one whose place it takes.
const kReplaced = /(^|\/)(api|paths|search)$/;
function exported(): Plugin {
  return {
    name: 'exported',
    enforce: 'pre',
    resolveId(id, importer) {
      const name = kReplaced.exec(id)?.[2];
      if (!name || !importer || importer.includes('/exported/')) return null;
      return this.resolve(fileURLToPath(new URL(`src/exported/${name}`, import.meta.url)), importer, {skipSelf: true});
    },
    transformIndexHtml: (page) => page.replace('GET /tuned lists', 'index.json lists'),
  };
}

export default defineConfig(({mode}) => ({
  plugins: mode === 'export' ? [exported()] : [packed()],
  logLevel: 'warn',
  base: mode === 'export' ? './' : '/',  // it may lie in any folder of a host
  // Not by Preact's JSX runtime: h is there anyway, and its arguments are shorter than props with children.
  esbuild: {jsx: 'transform', jsxFactory: 'h', jsxFragment: 'Fragment', jsxInject: "import {h, Fragment} from 'preact'"},
  build: {
    outDir: mode === 'export' ? 'dist/export' : 'dist',
    target: 'es2022',
    // The Content-Security-Policy allows no data: and no inline script.
    assetsInlineLimit: 0,
    modulePreload: false,
    // Smaller than esbuild's output, and the script has a limit.
    minify: 'terser',
    terserOptions: {ecma: 2020, module: true, compress: {passes: 9, inline: 1, keep_fargs: false, unsafe_arrows: true, unsafe_methods: true, pure_getters: true}, format: {comments: false, quote_style: 2}},
  },
}));
