import {execFileSync} from 'node:child_process';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {defineConfig, type Plugin} from 'vite';

// Compresses the files at build time; the server sends them as they are. zopfli compresses best: 4 % below gzip -9.
function packed(): Plugin {
  const pack = (file: string) => execFileSync('zopfli', [file]);
  return {
    name: 'packed',
    closeBundle() {
      pack('dist/index.html');
      // Vite also calls this after a failed build, which did not empty the folder.
      const made = readdirSync('dist/assets').filter((name) => !name.endsWith('.gz'));
      for (const name of made) pack(join('dist/assets', name));
    },
  };
}

// A static export's page has the same views, but reads files. A module in exported/ replaces the module of the same
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
  // The script is shorter with h than with Preact's JSX runtime, because h takes children as arguments.
  esbuild: {jsx: 'transform', jsxFactory: 'h', jsxFragment: 'Fragment', jsxInject: "import {h, Fragment} from 'preact'"},
  build: {
    outDir: mode === 'export' ? 'dist/export' : 'dist',
    target: 'es2022',
    // The Content-Security-Policy allows no data: and no inline script.
    assetsInlineLimit: 0,
    modulePreload: false,
    // The hub's script has a size limit, and terser's output is smaller than esbuild's, which takes a quarter of the time.
    minify: mode === 'export' ? 'esbuild' : 'terser',
    terserOptions: {ecma: 2020, module: true, compress: {passes: 2, inline: 1, keep_fargs: false, unsafe_arrows: true, unsafe_methods: true, pure_getters: true}, format: {comments: false, quote_style: 2}},
  },
}));
