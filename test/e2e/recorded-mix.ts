import type { SessionCommand } from "../helpers/command-session.js";

/**
 * What two recorded sessions of another assistant ran in a TypeScript monorepo, besides ten commands
 * that stand below. 113 of these 398 asked at commit 81f15326, 285 did not.
 */
export const MIX = { quiet: 285, folder: 5, edit: 37, build: 31, commit: 30 };

const NAMES = ["cart", "price", "stock", "tax", "order", "user"];
export const SHOP_FILES: Readonly<Record<string, string>> = {
    ".gitignore": "node_modules\ndist\n",
    "README.md": "# Shop\n\nCarts, prices and stock.\n",
    "package.json": JSON.stringify({
        name: "shop",
        version: "1.2.3",
        type: "module",
        scripts: {
            build: "node scripts/build.js",
            test: "node --test test/",
            check: "node --check src/cart.js && node --check src/tax.js",
        },
    }),
    "scripts/build.js": `import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
mkdirSync("dist/maps", { recursive: true });
for (const name of readdirSync("src")) {
    writeFileSync("dist/" + name, "// " + Date.now() + "\\n" + readFileSync("src/" + name));
    writeFileSync("dist/maps/" + name + ".map", String(process.hrtime.bigint()));
}
console.log("built " + readdirSync("src").length + " files");
`,
    ...Object.fromEntries(
        NAMES.flatMap((name) => [
            [`src/${name}.js`, `export const ${name} = 0;\nexport const double = (n) => 2 * n;\n`],
            [
                `test/${name}.test.js`,
                `import test from "node:test";\nimport assert from "node:assert";\nimport { double } from "../src/${name}.js";\ntest("doubles", () => assert.equal(double(2), 4));\n`,
            ],
        ])
    ),
};

/** What needs no question, for one module. */
const quietOf = (name: string): readonly string[] => [
    `sed -n '1,20p' src/${name}.js`,
    `cat src/${name}.js | head -40`,
    `grep -rn "${name}" src test | head -20`,
    "git status --short && git diff --stat",
    `node --test test/${name}.test.js 2>&1 | tail -20`,
    "git log --oneline -10",
    `find . -name '${name}*' -not -path './node_modules/*' | sort`,
    "npm test 2>&1 | tail -15",
    `wc -l src/*.js && ls -la src`,
    "npm run check",
    `git log -p -1 -- src/${name}.js | head -30`,
    `awk 'NR<5' src/${name}.js | sort | uniq -c`,
    `grep -rnE "docker|curl|npm publish|${name}" src scripts || echo nothing`,
    `(cd src && ls ${name}.js)`,
    `node -e 'import("./src/${name}.js").then((m) => console.log(m.double(4)))'`,
    `git blame -L1,2 src/${name}.js`,
    `for f in src/*.js; do head -1 "$f"; done`,
    `diff src/${name}.js src/cart.js || true`,
    `mkdir -p /tmp/try && cp src/${name}.js /tmp/try/ && node --check /tmp/try/${name}.js; rm -rf /tmp/try`,
    `git show --stat HEAD | head -20`,
    `test -f dist/${name}.js && echo built || echo not built`,
    `python3 - <<'EOF'\nimport pathlib\nprint(len(pathlib.Path("src/${name}.js").read_text()))\nEOF`,
    "npm ls --depth 0; node --version",
    `git grep -n ${name} HEAD -- src | cut -c1-80`,
    `tar -cf - src test | tar -t | grep ${name}`,
    `env | grep -i path | head -3; date +%Y`,
    `node -p 'require("./package.json").version' ; kill -0 $$`,
    `git diff HEAD~1 -- src/${name}.js | head -40 || true`,
    `git stash list; git branch -a; git remote -v`,
    `echo "const x = 1;" | node --check - ; echo $?`,
    `xargs -n1 basename < <(find src -name '*.js') | sort | head -3`,
    `timeout 20 node --test test/${name}.test.js | grep -c '^# pass'`,
];

const editsOf = (name: string, round: number): readonly string[] => [
    `sed -i 's/${name} = [0-9]*/${name} = ${round}/' src/${name}.js`,
    `cp src/${name}.js src/${name}-${round}.js`,
    `echo "// ${round}" >>src/${name}.js`,
    `mv README.md NOTES-${round}.md && mv NOTES-${round}.md README.md && echo ${round} >>README.md`,
    `node -e 'fs.appendFileSync("src/${name}.js", "// by a script, ${round}\\n")'`,
];

/** One-off commands, and the rounds in which they come. */
const OTHERS: ReadonlyMap<number, SessionCommand> = new Map(
    [
        "git branch topic",
        "git push origin HEAD",
        "ls ~/.agent/themes",
        "cat ~/.agent/themes/dark.json",
        "grep -l dark ~/.agent/themes/*",
        "git tag v1",
        "cp ~/.agent/themes/dark.json src/theme.json",
        "git push --tags origin HEAD",
        "npm install left-pad",
        "git add .",
    ].map((command, index) => [
        index * 3,
        { command, kind: /^git (?:branch|tag)/.test(command) ? "git" : "real" },
    ])
);

const ROUNDS = MIX.commit;

/** Look, change, test, build and commit, thirty times. */
export function recordedCommands(rounds: readonly number[]): readonly SessionCommand[] {
    return rounds.flatMap((round) => {
        const share = (count: number) =>
            Math.floor(((round + 1) * count) / ROUNDS) - Math.floor((round * count) / ROUNDS);
        const name = NAMES[round % NAMES.length]!;
        const take = (
            kind: SessionCommand["kind"],
            count: number,
            from: readonly string[],
            start: number
        ) =>
            Array.from({ length: count }, (_, index) => ({
                kind,
                command: from[(start + index) % from.length]!,
            }));
        const other = OTHERS.get(round);
        return [
            ...take("quiet", share(MIX.quiet) - 2, quietOf(name), round * 7),
            ...take("edit", share(MIX.edit), editsOf(name, round), round),
            ...take("quiet", share(MIX.folder), [`mkdir -p src/parts/${name}`], 0),
            ...take("quiet", 1, quietOf(name), 4),
            ...take(
                "output",
                share(MIX.build),
                ["npm run build", "npm run build 2>&1 | tail -5"],
                round
            ),
            ...take(
                "git",
                1,
                [`git add src README.md && git commit -qm "Change ${name}, ${round}"`],
                0
            ),
            ...(other ? [other] : []),
            ...take("quiet", 1, quietOf(name), 3),
        ];
    });
}

export const ALL_ROUNDS = Array.from({ length: ROUNDS }, (_, round) => round);

/**
 * Each round's commands. From the seventh on without those that need no question: earlier rounds ran
 * them in each form and in each module.
 */
export function shortRounds(rounds: readonly number[]): (readonly SessionCommand[])[] {
    return rounds.map((round, index) => {
        const commands = recordedCommands([round]);
        const isEarly = index < NAMES.length;
        return isEarly ? commands : commands.filter(({ kind }) => kind !== "quiet");
    });
}
