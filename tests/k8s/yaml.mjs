// node yaml.mjs FILE: prints a YAML document as JSON, for tests in other languages.
import {readFileSync} from "node:fs";
import {parseDocument} from "yaml";

const [file] = process.argv.slice(2);
const document = parseDocument(readFileSync(file, "utf8"), {uniqueKeys: true});
if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0].message}`);
console.log(JSON.stringify(document.toJS()));
