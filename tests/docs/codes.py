"""The error codes of the source: the first member of a core::Error, the code of a row's issue, and the codes of HTTP answers."""
import pathlib
import re

REPO = pathlib.Path(__file__).resolve().parents[2]
WORD, WORDS = r'"([a-z]+(?:_[a-z0-9]+)*)"', r'"([a-z]+(?:_[a-z0-9]+)+)"'
STATUS = re.compile(r'\{' + WORD + r',\s*([45]\d\d)\}')
PROBLEM = re.compile(r'\b(?:Problem\(\s*(\w+)|Unauthorized\(\s*[\w:]+),\s*' + WORD)
CONSTANT = re.compile(r'\b(k\w+) = ([45]\d\d);')
PLACES = [re.compile(it) for it in (
    r'\bError\s*[{(]+\s*' + WORD + r'\s*,',
    r'\b(?:Error|RowIssue|Wrong|Issue)\s*[{(]+\s*(?:[^"{}();]*?,\s*)?(?:"",\s*)?' + WORDS + r'\s*[,}]',
    r'\b(?:AtLine|Bad|BadLine|Issue|Say|Note|Aside|Reject|Refuse|Warn|Problem|ProblemFor)\(\s*\{*(?:[^"{}();]*?,\s*)?(?:"",\s*)?' + WORDS + r'\s*,',
    r'\breturn\s*\{\{?\s*' + WORDS + r',\s',
    r'\bk(?:Bad\w*|Code)(?:\[\])?\s*=\s*' + WORDS,
    r'\bJsonErrors \w+[({][^;]*?' + WORDS + r'\s*[)}]',
    r'\bcode\s*==?\s*' + WORDS,
    r'\b(?:Fail|Refuse)\w*\(\s*\{\s*' + WORDS + r'\s*,',
    r'\{[\w.]+, "",\s*' + WORD + r'\s*,',
    r'(?:\bStanding::k\w+,|\breason =|\breturn)\s*(?:fmt::format\(\s*)?"([a-z_]+): (?:the|a|one) ',
    r'\bTruthCell\(\w+, ' + WORDS,
    r'(?:\breturn|\bError)\s*\{[^{}"]*\?\s*' + WORDS + r'\s*:\s*"[a-z_]+"\s*,',
    r'(?:\breturn|\bError)\s*\{[^{}"]*\?\s*"[a-z_]+"\s*:\s*' + WORDS + r'\s*,',
    r'\breturn [^;{]*\?\s*' + WORDS + r'\s*:\s*"[a-z_]+";',
    r'\breturn [^;{]*\?\s*"[a-z_]+"\s*:\s*' + WORDS + r';',
)]
NO_CODES = {"act_type", "ignore_below_us", "ep_topk", "none"}  # arguments and members that look like codes


def codes():
    """{code: status of its HTTP answer, "" if no place names one}"""
    found = {}
    for top in ("core", "agent", "server"):
        for path in sorted(p for p in (REPO / top).rglob("*") if p.suffix in (".cpp", ".h")):
            text = path.read_text(encoding="utf-8")
            for pattern in PLACES:
                for code in pattern.findall(text):
                    found.setdefault(code, "")
            if top == "server":
                found.update(STATUS.findall(text))
                named = dict(CONSTANT.findall(text))
                found.update((code, named.get(status, status or "401")) for status, code in PROBLEM.findall(text))
    return {code: found[code] for code in sorted(found) if code not in NO_CODES}
