import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { checkCheck } from "north-cli/plugin-testing";
import { patient } from "../../../test/helpers/patience.js";
import { describeContained } from "../../../test/shell/containment/contained.js";
import { answers, changeSet, isInstalled, TYPESCRIPT, Workplace } from "./workplace.js";

type Files = Readonly<Record<string, string>>;

const WIDE = 'const wide: string = "x";\n';

const SLOW =
    "import asyncio, email.message, http.client, unittest\nfrom four import four\n\nfirst = four, asyncio.run, email.message.Message, http.client.OK, unittest.main\n";

const OLD_RUST =
    "fn one(value: u32) -> u32 {\n    value\n}\n\npub fn wrong() -> u32 {\n    one()\n}\n";

/** A project for each language, with an old error, and proposals. */
const PLANTED: readonly {
    readonly program: string;
    /** Programs that are asked for their version: rustup's stand for others that may be missing. */
    readonly asked?: readonly string[];
    readonly tree: Files;
    readonly wrong: Files;
    readonly found: readonly RegExp[];
    /** Breaks a file that is not in the proposal. */
    readonly elsewhere: Files;
    readonly foundElsewhere: readonly RegExp[];
    readonly right: Files;
}[] = [
    {
        program: "typescript-language-server",
        tree: {
            ...TYPESCRIPT,
            "src/twice.ts": "export const twice = (value: number) => value * 2;\n",
            "src/four.ts": 'import { twice } from "./twice.js";\n\nexport const four = twice(2);\n',
            "src/old.ts": 'export const wrong: number = "already";\n',
            "src/order.ts": `${WIDE}export const narrow: "first" | "second" = wide;\n`,
            // More than it may show.
            "src/large.ts": `import "./twice.js";\n${"// Large.\n".repeat(120_000)}`,
            // More than it looks at, and they use nothing.
            ...Object.fromEntries(
                Array.from({ length: 40 }, (_, index) => [
                    `src/${index}.ts`,
                    "// Says it twice.\nexport {};\n",
                ])
            ),
        },
        wrong: {
            "src/four.ts":
                'import { twice } from "./twice.js";\n\n\nexport const four = twice("2");\n',
        },
        found: [/^src\/four\.ts:4 \+1 error TS2345, Argument of type 'string' is not assignable/],
        elsewhere: { "src/twice.ts": "export const twice = (value: string) => value;\n" },
        foundElsewhere: [/^src\/four\.ts:3 \+1 error TS2345, Argument of type 'number'/],
        right: {
            "src/eight.ts":
                'import { four } from "./four.js";\nimport { one } from "./one.js";\nexport const eight = four + four * one;\n',
            "src/one.ts": "export const one = 1;\n",
            "src/old.ts": '// Moved.\nexport const wrong: number = "already";\n',
            // The project excludes it, so its compiler does not check it either.
            "fixtures/excluded.ts": 'export const wrong: number = "new";\n',
            "src/order.ts": `const second = "second";\n${WIDE}export const narrow: "first" | "second" = wide;\nexport { second };\n`,
        },
    },
    {
        program: "pyright-langserver",
        tree: {
            "twice.py": "def twice(value: int) -> int:\n    return value * 2\n",
            "four.py": "from twice import twice\n\nfour: int = twice(2)\n",
            "old.py": 'wrong: int = "already"\n',
            "first.py": SLOW,
        },
        wrong: {
            // Takes long, and the server publishes what it knows of the other one meanwhile.
            "first.py": `${SLOW}\n`,
            "four.py": 'from twice import twice\n\n\nfour: int = twice("2")\n',
        },
        found: [/^four\.py:4 \+1 error reportArgumentType, /],
        elsewhere: { "twice.py": "def twice(value: str) -> str:\n    return value\n" },
        foundElsewhere: [/^four\.py:3 \+1 error report/, /^four\.py:3 \+1 error report/],
        right: {
            "eight.py": "from four import four\nfrom one import one\n\neight: int = four * one\n",
            "one.py": "one = 1\n",
            "old.py": '# Moved.\nwrong: int = "already"\n',
        },
    },
    {
        program: "clangd",
        tree: {
            "twice.h": "int twice(int value);\n",
            "four.c": '#include "twice.h"\n\nint four(void) { return twice(2); }\n',
            "old.c": "int wrong(void) { return already; }\n",
            "absent.c": '#include "absent.h"\n',
        },
        wrong: { "four.c": '#include "twice.h"\n\n\nint four(void) { return twice(2, 3); }\n' },
        found: [/^four\.c:4 \+1 error .*[Tt]oo many arguments/],
        elsewhere: { "twice.h": "int twice(int value, int more);\n" },
        foundElsewhere: [/^four\.c:3 \+1 error .*[Tt]oo few arguments/],
        right: {
            "eight.c": '#include "one.h"\nint eight(void) { return 8 * one(); }\n',
            "one.h": "int one(void);\n",
            "old.c": "// Moved.\nint wrong(void) { return already; }\n",
            "absent.c": '#include "absent.h"\nAbsent known_there;\n',
        },
    },
    {
        program: "gopls",
        tree: {
            "go.mod": "module example.org/four\n\ngo 1.19\n",
            "twice.go": "package four\n\nfunc twice(value int) int { return value * 2 }\n",
            "four.go": "package four\n\nvar four = twice(2)\n",
            "old.go": 'package four\n\nvar wrong int = "already"\n',
            "shape/area.go": "package shape\n\nfunc Area(side int) int { return side * side }\n",
            "use/use.go":
                'package use\n\nimport "example.org/four/shape"\n\nvar Use = shape.Area(2)\n',
        },
        wrong: { "four.go": 'package four\n\n\nvar four = twice("2")\n' },
        found: [/^four\.go:4 \+1 error .*cannot use "2"/],
        elsewhere: {
            "twice.go": "package four\n\nfunc twice(value string) string { return value }\n",
            "shape/area.go": "package shape\n\nfunc Area(side string) string { return side }\n",
        },
        foundElsewhere: [
            /^four\.go:3 \+1 error .*cannot use 2/,
            /^use\/use\.go:5 \+1 error .*cannot use 2/,
        ],
        right: {
            "eight.go": "package four\n\nvar eight = four * one\n",
            "one.go": "package four\n\nconst one = 1\n",
            "old.go": '// Moved.\npackage four\n\nvar wrong int = "already"\n',
        },
    },
    {
        // Wrong types it leaves to the compiler, which does not see proposals.
        program: "rust-analyzer",
        asked: ["rust-analyzer", "cargo"],
        tree: {
            "Cargo.toml": '[package]\nname = "four"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "mod four;\nmod old;\nmod twice;\n",
            "src/twice.rs": "pub fn twice(value: u32) -> u32 {\n    value * 2\n}\n",
            "src/four.rs": "pub fn four() -> u32 {\n    crate::twice::twice(2)\n}\n",
            "src/old.rs": OLD_RUST,
        },
        wrong: { "src/four.rs": "pub fn four() -> u32 {\n\n    crate::twice::twice(2, 3)\n}\n" },
        found: [/^src\/four\.rs:3 \+1 error E0107, expected 1 argument, found 2/],
        elsewhere: {
            "src/twice.rs": "pub fn twice(value: u32, more: u32) -> u32 {\n    value + more\n}\n",
        },
        foundElsewhere: [/^src\/four\.rs:2 \+1 error E0107, expected 2 arguments, found 1/],
        right: {
            "src/twice.rs":
                "pub fn twice(value: u32) -> u32 {\n    let sum = value + value;\n    sum\n}\n",
            "src/old.rs": `// Moved.\nextern crate alloc;\n${OLD_RUST}`,
        },
    },
];

for (const { program, ...planted } of PLANTED) {
    describeContained(`Errors that ${program} finds in proposals`, function () {
        this.timeout(patient(180_000));
        let place: Workplace;

        const findings = async (proposal: Readonly<Record<string, string | null>>) => {
            const found = await place.findings(await changeSet(place, proposal));
            return found.map(({ path: file, line, text }) => `${file}:${line} ${text}`);
        };
        const expectAll = (found: readonly string[], patterns: readonly RegExp[]) => {
            expect(found.length, found.join("\n")).to.equal(patterns.length);
            patterns.forEach((pattern, index) => expect(found[index]).to.match(pattern));
        };

        before(async function () {
            if (!isInstalled(program) || !(planted.asked ?? []).every(answers)) {
                process.stdout.write(`    ${program} is not installed: not tested\n`);
                return this.skip();
            }
            place = await Workplace.make(planted.tree);
        });
        after(() => place?.pool.stop());

        it("are those of the proposal only, at its lines", async () => {
            expectAll(await findings(planted.wrong), planted.found);
            expect(place.started.length).to.equal(1);
        });
        it("are found in files that use what changes", async () => {
            expectAll(await findings(planted.elsewhere), planted.foundElsewhere);
        });
        it("are none in a right proposal with new files, whatever was wrong before", async () => {
            expect(await findings(planted.right)).to.deep.equal([]);
        });
        it("go by the project as it is now", async () => {
            for (const [file, content] of Object.entries(planted.elsewhere)) {
                writeFileSync(path.join(place.project.root, file), content);
            }
            const same = Object.fromEntries(
                Object.keys(planted.wrong).map((file) => [file, `${planted.tree[file]}\n`])
            );
            expect(await findings(same)).to.deep.equal([]);
            for (const file of Object.keys(planted.elsewhere)) {
                const before = planted.tree[file] ?? "";
                writeFileSync(path.join(place.project.root, file), before);
            }
            expectAll(await findings(planted.wrong), planted.found);
            expect(place.started.length).to.equal(1);
        });
    });
}

describeContained("The check of types", function () {
    this.timeout(patient(120_000));

    it("waits for gopls to load the project, or it would not know a new import", async function () {
        if (!["gopls", "go"].every(isInstalled)) return this.skip();
        // It lists the packages, and is shown another project before it reads the list.
        const slow =
            '#!/bin/sh\nout=$(PATH=${PATH#*:} go "$@") || exit 1\n[ "$1" != list ] || sleep 2\necho "$out"\n';
        const place = await Workplace.make({
            "go.mod": "module example.org/upper\n\ngo 1.19\n",
            "upper.go": "package upper\n",
            "node_modules/.bin/gopls": '#!/bin/sh\nPATH="$PWD/slow:${PATH#*:}" exec gopls\n',
            "slow/go": slow,
        });
        for (const program of ["node_modules/.bin/gopls", "slow/go"]) {
            chmodSync(path.join(place.project.root, program), 0o755);
        }
        const upper = 'package upper\n\nimport "strings"\n\nvar Upper = strings.ToUpper("a")\n';
        const wrong = `${upper}\nvar wrong int = "a"\n`;
        const found = await place.findings(await changeSet(place, { "upper.go": wrong }));
        expect(found.map(({ line }) => line)).to.deep.equal([7]);
        place.pool.stop();
    });

    it("keeps the contract", async () => {
        const place = await Workplace.make(TYPESCRIPT);
        await checkCheck(place.check, { workspace: place.context.workspace });
    });

    it("tells the user once which server is not installed, and starts none for other files", async () => {
        const place = await Workplace.make({ "a.ts": "let a;\n", "a.txt": "text\n" }, "/nowhere");
        const other = await changeSet(place, { "a.txt": "other\n" });
        const proposal = await changeSet(place, { "a.ts": "let a: b;\n", "a.txt": "other\n" });
        expect(await place.findings(other)).to.deep.equal([]);
        expect(await place.told()).to.deep.equal({});
        expect(await place.findings(proposal)).to.deep.equal([]);
        expect(await place.told()).to.deep.equal({
            notice: "Types are not checked: typescript-language-server is not installed (npm install --global typescript-language-server typescript).",
        });
        expect(await place.findings(proposal)).to.deep.equal([]);
        expect(await place.told()).to.deep.equal({});
        expect(place.started).to.deep.equal([]);
    });

    it("finds what uses a module whose name is not ASCII", async function () {
        if (!isInstalled("typescript-language-server")) this.skip();
        const place = await Workplace.make({
            ...TYPESCRIPT,
            "src/größe.ts": "export const size = (value: number) => value;\n",
            "src/use.ts": 'import { size } from "./größe.js";\n\nexport const one = size(1);\n',
        });
        const change = { "src/größe.ts": "export const size = (value: string) => value;\n" };
        const found = await place.findings(await changeSet(place, change));
        expect(found.map(({ path: file, line }) => [file, line])).to.deep.equal([
            ["src/use.ts", 3],
        ]);
        place.pool.stop();
    });

    it("tells the user which proposal it skips, and why", async () => {
        const place = await Workplace.make({ ...TYPESCRIPT, "a.ts": "let a;\n" });
        const settings = { "a.ts": "let a: b;\n", "tsconfig.json": "{}\n" };
        expect(await place.findings(await changeSet(place, settings))).to.deep.equal([]);
        const many = Object.fromEntries(
            Array.from({ length: 51 }, (_, index) => [`${index}.ts`, "let a: b;\n"])
        );
        expect(await place.findings(await changeSet(place, many))).to.deep.equal([]);
        expect(await place.told()).to.deep.equal({
            notice: "Types were not checked: tsconfig.json changes too.\nTypes were not checked: 51 files change.",
        });
        expect(place.started).to.deep.equal([]);
    });
});
