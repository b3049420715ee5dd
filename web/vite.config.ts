import {execFileSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {defineConfig, type Plugin} from 'vite';

// The server sends the packed files as they are. zopfli packs tightest: 4 % below gzip -9.
function packed(): Plugin {
  const pack = (file: string) => execFileSync('zopfli', [file]);
  return {
    name: 'packed',
    closeBundle() {
      pack('dist/index.html');
      // Vite also calls this after a failed build, which has not emptied the folder.
      const made = readdirSync('dist/assets').filter((name) => !name.endsWith('.gz'));
      for (const name of made) pack(join('dist/assets', name));
    },
  };
}

// A static export's page: the same views on modules that read files. A module in exported/ replaces the one of the same
// name.
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
  base: mode === 'export' ? './' : '/',  // the export may be in any folder of a host
  // The script is shorter with h than with Preact's JSX runtime: h takes children as arguments, not in props.
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
