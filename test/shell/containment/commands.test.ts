import path from "node:path";

import { expect } from "chai";

import { needIn, networkIn, readCommand } from "../../../src/code/commands/read-command.js";
import { PATIENCE_MS, patient } from "../../helpers/patience.js";
import { sampled } from "../../helpers/sample.js";
import { git, writeTree } from "../../workspace/make-folder.js";
import {
    type ContainedLine,
    landlockVersion,
    usersToTry,
    WatchedPlace,
    WITHOUT_NAMESPACES,
} from "./watched-place.js";
import { describeContained } from "./contained.js";

const TOOLS = path.resolve("node_modules/.bin");
/** The command's way: it ran unasked, its changes are reviewed, or it is asked about as a real one. */
type Way = "ran" | "review" | "asked";

const TREE = {
    "package.json": '{"name": "fixture", "scripts": {"test": "node --test test.mjs"}}',
    "test.mjs": 'import test from "node:test";\ntest("adds", () => {});\n',
    "code.ts": "export const one: number = 1;\n",
    "lint.js": "var a = 1\n",
    "ugly.js": "var  a  =  1\n",
    "test_one.py": "def test_one():\n    assert True\n",
    "check.py": "import unittest\nclass One(unittest.TestCase):\n    def test_one(self): pass\n",
    "Cargo.toml": '[package]\nname = "fixture"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/main.rs": "fn main() {}\n",
    "go.mod": "module fixture\n",
    "one_test.go": 'package fixture\nimport "testing"\nfunc TestOne(t *testing.T) {}\n',
    Makefile: "all: main.o\nmain.o: main.c\n\tcc -c main.c\n",
    "main.c": "int main(void) { return 0; }\n",
    "build/out.txt": "out\n",
    "bomb.sh": "bomb() { bomb | bomb & }; bomb; sleep 50\n",
};

function commandsAt({ top, home }: WatchedPlace, parent: number): [string, ...Way[]][] {
    // The types of all of the DOM would take longer than everything else here.
    const tsc = `${TOOLS}/tsc --skipLibCheck --lib es5`;
    const eslint = `${TOOLS}/eslint --no-config-lookup --rule 'semi: error'`;
    return [
        ["git status", "ran"],
        ["git log --oneline", "ran"],
        ["git diff HEAD", "ran"],
        ["git blame a.txt", "ran"],
        ["ls -la", "ran"],
        ["find . -name '*.ts' | wc -l", "ran"],
        ["rg one src", "ran"],
        ["grep -rn main src", "ran"],
        ["cat a.txt; wc -l a.txt; du -sh src", "ran"],
        ["npm test", "ran"],
        ["node --test test.mjs", "ran"],
        [`${tsc} --noEmit code.ts`, "ran"],
        // Tells on standard output that it may not write, which is no evidence.
        [`${tsc} --outDir out code.ts >&2`, "review"],
        [`${eslint} --fix lint.js`, "review"],
        [`${TOOLS}/prettier --write ugly.js`, "review"],
        ["pytest -q", "ran", "review"],
        ["python3 -B -m unittest -q check", "ran"],
        ["cargo build --offline", "ran", "review"],
        ["go test ./...", "ran"],
        ["make", "review"],
        ["make -n", "ran"],
        ["gcc --version", "ran"],
        ["sed -i s/a/b/ a.txt", "review"],
        ["mv a.txt moved.txt", "review"],
        ["rm -rf build", "review"],
        ["mkdir -p a/b/c", "review"],
        ["touch new.txt", "review"],
        ["cp -r src copy", "review"],
        ["chmod +x a.txt", "review"],
        ["echo x >a.txt", "review"],
        ["tar cf all.tar src", "review"],
        [`ln -s ${top}/outside out && echo x >out/file.txt`, "asked"],
        ["ln a.txt hard", "review"],
        [`ln ${top}/outside/file.txt hard`, "asked"],
        ["mkdir -p node_modules/.bin && echo x >node_modules/.bin/tool", "review"],
        ["git commit -qam more", "ran", "review"],
        ["git -c user.name=T -c user.email=t@example.org commit -q --allow-empty -m m", "review"],
        ["git stash list; git stash clear", "ran"],
        ["git checkout -q -b other", "review"],
        ["echo x >.git/hooks/pre-commit", "asked"],
        ["git push", "asked"],
        ["npm install left-pad", "asked"],
        ["pip install requests", "asked"],
        ["curl https://example.org", "asked"],
        ["c=curl; $c -sS https://example.org", "asked"],
        // Without a word about the network, the model gets the result with a note.
        ["c=curl; $c -s https://example.org", "ran"],
        ["docker ps", "asked"],
        ["sudo id", "asked"],
        ["ssh example.org true", "asked"],
        ["node -e 'require(\"http\").createServer().listen(0)' &", "asked"],
        ["(node -e 'require(\"http\").createServer().listen(0)' &) ; echo started", "ran"],
        ["sleep 100", "ran"],
        ["yes", "asked"],
        ["bash bomb.sh", "asked"],
        ["cat ~/.ssh/id_rsa", "asked"],
        ["cat .env", "asked"],
        ["cat /proc/1/environ", "ran"],
        [`cat /proc/${parent}/environ`, "ran"],
        ["echo x >/etc/north-was-here", "asked", "ran"],
        ["echo x >>~/.bashrc", "asked"],
        [`echo x >>${top}/outside/file.txt`, "asked"],
        ["mount -t tmpfs none /mnt", "ran", "asked"],
        ["unshare -Urm true", "ran", "asked"],
        [`strace -p ${parent}`, "ran"],
        [`gdb -p ${parent} -batch </dev/null`, "ran"],
        [`c=kill; $c -9 ${parent}; $c -9 1; echo alive`, "ran"],
        [`rm -rf ${home}/code/neighbour ${top}/outside`, "asked", "ran"],
    ];
}

function wayOf({ refusal, effects }: ContainedLine): Way {
    if (refusal) return "asked";
    return effects.length > 0 ? "review" : "ran";
}

function toldOf({ refusal, effects, outcome }: ContainedLine): string {
    const names = effects.length > 3 ? [...effects.slice(0, 3), "…"] : effects;
    if (refusal) return `asked: needs ${refusal.text}`;
    if (effects.length > 0) return `review: ${names.join(", ")}`;
    return outcome.timedOut ? "ran: time limit" : `ran: exit ${outcome.exitCode}`;
}

/** The tiers of containment, and what becomes of a command's way in each. */
const TIERS: readonly {
    readonly tier: string;
    readonly within?: string;
    /** Commands that are left out. */
    readonly without?: (user: number) => readonly string[];
    allowed(ways: readonly Way[]): readonly Way[];
}[] = [
    { tier: "contained", allowed: (ways) => ways },
    {
        tier: "read-only, without namespaces",
        within: WITHOUT_NAMESPACES,
        // Nothing but a watch limits the processes of root there.
        without: (user) => (user === 0 ? ["bash bomb.sh"] : []),
        allowed: (ways) => ways.map((way) => (way === "review" ? "asked" : way)),
    },
];

describeContained("commands", () => {
    const rows = usersToTry().flatMap((user) => TIERS.map((tier) => ({ user, ...tier })));
    for (const { user, tier, within, without, allowed } of rows) {
        const who = user === 0 ? "root" : `user ${user}`;
        it(`Sixty commands change nothing but what is reviewed or asked about, ${tier}, as ${who}`, async function () {
            if (within && (process.getuid?.() !== 0 || landlockVersion() === 0)) this.skip();
            this.timeout(patient(400_000));
            const place = new WatchedPlace(user, (root) => {
                writeTree(root, TREE);
                git(root, "add", "-A", "--", ".", ":!.env");
                git(root, "commit", "--quiet", "-m", "first");
            });
            try {
                const before = place.hash();
                const left = without?.(user) ?? [];
                const all = commandsAt(place, process.pid).filter(([name]) => !left.includes(name));
                expect(all.length).to.be.at.least(60);
                const commands = sampled(all, 20);
                const needs = new Map<string, string | undefined>();
                for (const [command] of commands) {
                    const { facts } = await readCommand(command);
                    needs.set(command, needIn(facts) ?? networkIn(facts));
                }
                const tried = commands.filter(([command]) => needs.get(command) === undefined);
                const isLong = (command: string) => command.startsWith("sleep");
                const names = tried.map(([command]) => command);
                const long = names.filter(isLong);
                const limits = { writtenMb: 50, processes: 200 };
                const show = [path.dirname(TOOLS)];
                const lines = [
                    ...place.run(
                        names.filter((name) => !isLong(name)),
                        { timeoutMs: PATIENCE_MS, limits, show, ...(within && { within }) }
                    ),
                    ...(long.length > 0
                        ? place.run(long, { timeoutMs: 500, ...(within && { within }) })
                        : []),
                ];
                const wrong: string[] = [];
                const counts = { ran: 0, review: 0, asked: 0, missing: 0 };
                for (const [command, ...ways] of commands) {
                    const line = lines.find((each) => each.command === command);
                    const isMissing = line?.outcome.exitCode === 127;
                    const way = line ? wayOf(line) : "asked";
                    counts[isMissing ? "missing" : way] += 1;
                    const told = line ? toldOf(line) : `asked at once: ${needs.get(command) ?? ""}`;
                    const text = isMissing ? "not installed here" : told;
                    const shown = command.replace(`${TOOLS}/`, "").slice(0, 58).padEnd(60);
                    process.stdout.write(`    ${shown}${text}\n`);
                    if (!isMissing && !allowed(ways).includes(way)) {
                        wrong.push(`${command}: ${told}`);
                    }
                    if (line?.changed) wrong.push(`${command}: changed ${line.changed}`);
                }
                process.stdout.write(`    ${tier}, as ${who}: ${JSON.stringify(counts)}\n`);
                expect(wrong).to.deep.equal([]);
                expect(place.hash()).to.deep.equal(before);
            } finally {
                place.remove();
            }
        });
    }
});
