import { expect } from "chai";
import { checkFinder } from "../../../src/host/effects/check-finder.js";
import { evidenceByTurn, evidenceOf } from "../../../src/core/history/evidence.js";
import type { Entry } from "../../../src/plugin/records.js";
import { AT, base, changed, ran } from "./command-entries.js";

const user = (): Entry => ({ ...base(), kind: "user", mode: "agent", text: "Go.", content: [] });
const edit = (...paths: string[]): Entry => changed(paths);

const ROOT = "/project";
const readChecks = checkFinder(ROOT);
const titleOf = (command: string) => command.replaceAll("\n", "⏎");

/** What evidence says after an edit of `a.ts` and these entries, without the first words. */
async function evidenceAfterEdit(...entries: Entry[]): Promise<string> {
    const evidence = await evidenceOf([user(), edit("a.ts"), ...entries], 0, readChecks);
    return evidence?.text.replace(/^\d+ files? edited · /, "") ?? "";
}

const UNTESTED = "not tested since the last edit";

describe("Evidence", () => {
    it("A command line is read once, however often a conversation asks", async () => {
        const find = checkFinder(ROOT);
        expect(await find("npm test")).to.equal(await find("npm test"));
        expect(await find("npm test", "a")).not.to.equal(await find("npm test"));
    });

    it("A check that ran for real in draft mode says nothing about the draft", async () => {
        const drafting = { ...user(), mode: "draft" } as Entry;
        const files = [{ path: "a.ts", beforeHash: null, afterHash: "0" }];
        const drafted: Entry = { ...base(), kind: "drafted", files };
        const resultsOf = async (data: object) => {
            const entries = [drafting, drafted, ...ran("npm test", 0, data)];
            const found = await evidenceOf(entries, 0, readChecks);
            return found?.checks.map(({ result }) => result);
        };
        expect(await resultsOf({})).to.deep.equal([]);
        expect(await resultsOf({ contained: true })).to.deep.equal(["passed"]);
    });

    describe("Of a draft", () => {
        const path = "a.ts";
        const drafted = (more: object = {}): Entry => ({
            ...base(),
            kind: "drafted",
            files: [{ path, beforeHash: "0", afterHash: "1" }],
            ...more,
        });
        const back = (undoes: string[]): Entry =>
            drafted({ undoes, files: [{ path, beforeHash: "1", afterHash: "0" }] });
        const textOf = async (...entries: Entry[]) =>
            (await evidenceOf([user(), ...entries], 0, readChecks))?.text;

        it("Files that are only drafted do not count as edited", async () => {
            const entries = [user(), drafted()];
            const { filesEdited, filesDrafted, text } =
                (await evidenceOf(entries, 0, readChecks)) ?? {};
            expect({ filesEdited, filesDrafted }).to.deep.equal({
                filesEdited: 0,
                filesDrafted: 1,
            });
            expect(text).to.equal("1 file drafted · not tested since the last edit");
        });

        it("A draft that was discarded or undone leaves no evidence, and one redone does", async () => {
            const made = drafted();
            const undone = back([made.id]);
            expect(await textOf(made, undone)).to.equal(undefined);
            const redone = drafted({ undoes: [undone.id] });
            expect(await textOf(made, undone, redone)).to.match(/^1 file drafted/);
        });

        it("A file drafted and changed back is not drafted", async () => {
            const files = [{ path, beforeHash: "1", afterHash: "0" }];
            expect(await textOf(drafted(), drafted({ files }))).to.equal(undefined);
        });

        it("What a review applied counts as edited, and what is drafted after that as drafted", async () => {
            const made = drafted();
            const applied = { ...edit(path), applies: [made.id] } as Entry;
            const other = [{ path: "b.ts", beforeHash: "0", afterHash: "1" }];
            expect(await textOf(made, applied)).to.match(/^1 file edited ·/);
            expect(await textOf(made, applied, drafted({ files: other }))).to.match(
                /^1 file edited, 1 drafted ·/
            );
        });
    });

    it("A turn without edits has no evidence", async () => {
        expect(await evidenceOf([user(), ...ran("npm test", 0)], 0, readChecks)).to.equal(
            undefined
        );
    });

    it("A folder, or an output that git ignores, does not count as an edited file", async () => {
        const folder = { path: "src", type: "folder", beforeHash: null, afterHash: "0" } as const;
        const output = {
            path: ".venv/bin/pip",
            isIgnored: true,
            beforeHash: null,
            afterHash: "0",
        } as const;
        const made: Entry = { ...base(), kind: "change", files: [folder, output] };
        expect(await evidenceOf([user(), made], 0, readChecks)).to.equal(undefined);
        expect(
            (await evidenceOf([user(), made, edit("src/a.ts")], 0, readChecks))?.filesEdited
        ).to.equal(1);
    });

    it("A test before the last edit is reported as stale, and one after it as passed or failed", async () => {
        const edits = [user(), edit("a.ts", "b.ts"), edit("a.ts")];
        const text = async (entries: Entry[]) => (await evidenceOf(entries, 0, readChecks))?.text;
        expect(await text(edits)).to.equal("2 files edited · not tested since the last edit");
        expect(await text([...edits, ...ran("npm test", 0)])).to.equal(
            "2 files edited · npm test passed 14:02"
        );
        expect(await text([...edits, ...ran("npm test", 1)])).to.equal(
            "2 files edited · npm test failed 14:02"
        );
        expect(await text([...edits, ...ran("npm test", 0), edit("c.ts")])).to.equal(
            "3 files edited · npm test passed 14:02, before the last edit"
        );
    });

    it("Each turn of a conversation has its own edits, and the last test so far", async () => {
        const tested = ran("npm test", 0);
        const entries = [user(), edit("a.ts"), ...tested, user(), edit("b.ts"), edit("c.ts")];
        const found = [...(await evidenceByTurn(entries, readChecks))];
        expect(found.map(([id]) => id)).to.deep.equal([tested.at(-1)?.id, entries.at(-1)?.id]);
        expect(found.map(([, { filesEdited }]) => filesEdited)).to.deep.equal([1, 2]);
        const areCurrent = found.map(([, { checks }]) => checks[0]?.isAfterLastEdit);
        expect(areCurrent).to.deep.equal([true, false]);
    });

    it("A program that is not installed is not a failed check", async () => {
        const found = await evidenceOf(
            [user(), edit("a.ts"), ...ran("npx vitest", 127)],
            0,
            readChecks
        );
        expect(found?.text).to.equal("1 file edited · not tested since the last edit");
    });

    it("The last result of each check is listed, failures first", async () => {
        const tested = ran("npm test -- --bail", 1);
        const built = ran("npm run build", 0);
        expect(await evidenceAfterEdit(...tested, ...built)).to.equal(
            "npm test -- --bail failed 14:02 · npm run build passed 14:02"
        );
        expect(await evidenceAfterEdit(...tested, ...built, ...ran("npm test", 0))).to.equal(
            "npm test passed 14:02 · npm run build passed 14:02"
        );
    });

    it("A failed part of a suite does not hide behind another part that passed", async () => {
        const entries = [...ran("pytest a.py", 1), ...ran("pytest b.py", 0)];
        expect(await evidenceAfterEdit(...entries)).to.equal(
            "pytest a.py failed 14:02 · pytest b.py passed 14:02"
        );
    });

    it("A failure of joined checks counts until each of them has run again", async () => {
        const both = ran("npm run lint && npm test", 1);
        const lint = ran("npm run lint", 0);
        expect(await evidenceAfterEdit(...both, ...lint)).to.equal(
            "npm run lint && npm test failed 14:02 · npm run lint passed 14:02"
        );
        expect(await evidenceAfterEdit(...both, ...lint, ...ran("npm test", 0))).to.equal(
            "npm run lint passed 14:02 · npm test passed 14:02"
        );
    });

    it("Beyond four checks the others are counted", async () => {
        const runs = ["a", "b", "c", "d", "e", "f"].flatMap((name) => ran(`pytest ${name}.py`, 0));
        expect(await evidenceAfterEdit(...runs)).to.match(/ · pytest d\.py passed 14:02 · 2 more$/);
    });

    it("A check before changes of its own command does not count as after the last edit", async () => {
        const contained = { contained: true, effects: { applied: "all" } };
        const text = (command: string) =>
            evidenceAfterEdit(...ran(command, 0, contained, ["a.ts"]));
        expect(await text("pytest && python format.py")).to.equal(
            "pytest && python format.py passed 14:02, before the last edit"
        );
        expect(await text("pytest && printf x >> a.ts")).to.equal(
            "pytest && printf x >> a.ts passed 14:02, before the last edit"
        );
        for (const command of [
            "python format.py && pytest",
            "pytest && echo fine",
            "eslint --fix .",
        ]) {
            expect(await text(command)).to.equal(`${command} passed 14:02`);
        }
    });

    it("A command that ran for real and wrote a file of the project makes the checks before it stale", async () => {
        const stale = "pytest passed 14:02, before the last edit";
        const passed = ran("pytest", 0);
        expect(await evidenceAfterEdit(...passed, ...ran("echo broken > a.ts", 0))).to.equal(stale);
        expect(await evidenceAfterEdit(...passed, ...ran("sed -i s/a/b/ *.ts", 0))).to.equal(stale);
        expect(await evidenceAfterEdit(...passed, ...ran("git checkout .", 0))).to.equal(stale);
        expect(await evidenceAfterEdit(...passed, ...ran("echo x >> b.ts", 0))).to.equal(stale);
        for (const command of ["echo fine > /tmp/log.txt", "git commit -am x"]) {
            const text = await evidenceAfterEdit(...passed, ...ran(command, 0));
            expect(text).to.equal("pytest passed 14:02");
        }
        expect(
            await evidenceAfterEdit(...ran("echo x > a.ts; pytest && echo y > a.ts", 0))
        ).to.equal("pytest && echo y > a.ts passed 14:02, before the last edit");
    });

    for (const later of [
        ...["echo x >> b.ts", "rm -r src", "bash -c 'echo x > b.ts'", "cd src && touch $NAME"],
        ...["mv src/a.ts src/b.ts", "true && git checkout .", "printf '%s\\n' x >| b.ts"],
    ]) {
        it(`What \`${titleOf(later)}\` writes after a check, for real, the check has not tested`, async () => {
            for (const command of [`pytest && ${later}`, `bash -c "pytest" && ${later}`]) {
                expect(await evidenceAfterEdit(...ran(command, 0))).to.equal(
                    `${command} passed 14:02, before the last edit`
                );
            }
        });
    }

    for (const command of [
        ...["pytest > out.txt && tail out.txt", "pytest | tee out.txt && ls", "rm -r out; pytest"],
        ...[
            "pytest && echo x > /tmp/log.txt",
            "pytest && bash -c ls",
            "pytest && git commit -am x",
        ],
    ]) {
        it(`What \`${command}\` writes for real, it does not write over what was tested`, async () => {
            expect(await evidenceAfterEdit(...ran(command, 0))).to.not.contain("before the last");
        });
    }

    it("The result is unknown where what was tested was discarded, or the time limit ended it", async () => {
        const discarded = { contained: true, effects: { applied: "none" } };
        const text = await evidenceAfterEdit(...ran("sed -i s/a/b/ a.ts && pytest", 0, discarded));
        expect(text).to.equal("sed -i s/a/b/ a.ts && pytest ended 14:02, result unknown");
        expect(await evidenceAfterEdit(...ran("pytest", 0, discarded))).to.equal(
            "pytest passed 14:02"
        );
        expect(await evidenceAfterEdit(...ran("pytest", 124, { timedOut: true }))).to.equal(
            "pytest ended 14:02, result unknown"
        );
    });

    it("After `source` the line says why a result is unknown, and a check by its path needs no `source`", async () => {
        const activated = ran("source .venv/bin/activate", 0);
        expect(await evidenceAfterEdit(...activated, ...ran("pytest", 0))).to.match(
            /pytest ended 14:02, result unknown \(an earlier command changed the shell\)$/
        );
        expect(await evidenceAfterEdit(...ran(".venv/bin/pytest", 0))).to.match(/ passed 14:02$/);
    });

    it("A background job that has ended counts, unless files changed since it began", async () => {
        const job = (startedAt: number) =>
            ran("", 0, { command: "npm test", state: "exited", startedAt }).map((entry) =>
                entry.kind === "assistant" ? { ...entry, content: [] } : entry
            );
        expect(await evidenceAfterEdit(...job(AT + 1))).to.equal("npm test passed 14:02");
        expect(await evidenceAfterEdit(...job(AT - 1))).to.equal(
            "npm test passed 14:02, before the last edit"
        );
    });

    const DECIDED = [
        ...["npm test", "npm t", "npx tsc --noEmit", "cd a && CI=1 npm run test:unit 2>&1"],
        ...["(npm test)", "{ npm test; }", "cd a; npm test", "env CI=1 npm test", "time npm test"],
        ...["npx -y vitest run", "npx --no-install vitest@1 run", "timeout 60 npm test"],
        ...[
            "npm -w x test",
            "npm --prefix pkg test",
            "bash -c 'npm test'",
            "bash -lc 'cd a && npm test'",
        ],
        ...[
            "./node_modules/.bin/jest",
            ".venv/bin/pytest -q",
            "python3.11 -m pytest",
            "pytest -v -k old",
        ],
        ...[
            "python -m coverage run -m pytest",
            "uv run pytest",
            "python manage.py test",
            "tox -e py311",
        ],
        ...[
            "make -j4 test",
            "make -j 4 test",
            "make -C build check",
            "mvn -o test",
            "./mvnw -pl a test",
        ],
        ...[
            "./gradlew :app:testDebugUnitTest",
            "gradle check",
            "node --test test.mjs",
            "npm test # all",
        ],
        ...["cargo clippy -- -D warnings", "cargo nextest run", "go test -v ./...", "go vet ./..."],
        ...["cargo t", "cargo b", "cargo +nightly test", "cargo nextest r", "cargo fmt -- --check"],
        ...["mvn clean install", "mvn -o -B package", "mvn compile", "./gradlew assembleDebug"],
        ...["cmake --build build", "cmake --build build -t check", "meson compile -C build"],
        ...["ruby -Itest test/cart_test.rb", "ruby test/test_cart.rb", "ruby -c lib/cart.rb"],
        ...["php artisan test", "composer run test", "dune build", "dune runtest"],
        ...["yarn workspace web test", "yarn workspace web run test", "yarn workspace web jest"],
        ...[
            "pnpm -r test",
            "pnpm --filter web lint",
            "yarn jest src",
            "bundle exec rspec",
            "ctest -V",
        ],
        ...[
            "npx prettier --check .",
            "black --check .",
            "nice -n 5 npm test",
            "sudo -u me npm test",
        ],
        ...["npm ci; npm test", "npm test || exit 1", "npm test || { echo bad; exit 2; }"],
        ...["yes | npm test", "git diff --name-only | xargs npx eslint", "npm test > out.txt 2>&1"],
        ...[
            "set -o pipefail; npm test 2>&1 | tail",
            "bash -c 'set -eo pipefail; npm test | tee o; ls'",
        ],
        ...["set -e\nnpm test\nls", "cat > a.ts <<'END'\nx | y\nEND\nnpm test"],
    ];
    for (const command of DECIDED) {
        it(`\`${titleOf(command)}\` passed if it exits with 0, and failed if with 1`, async () => {
            expect(await evidenceAfterEdit(...ran(command, 0))).to.match(/ passed 14:02$/);
            expect(await evidenceAfterEdit(...ran(command, 1))).to.match(/ failed 14:02$/);
            expect(await evidenceAfterEdit(...ran(command, 127))).to.equal(UNTESTED);
        });
    }

    const UNDECIDED = [
        ...["npm test | tail", "npm test 2>&1 | tail -20", "npm test; true", "npm test || true"],
        ...["npm test &", "! npm test", "if npm test; then true; fi", "npm test; echo $?"],
        ...[
            "for p in a b; do npm test -w $p; done",
            "out=$(npm test)",
            "bash -c 'npm test | head'",
        ],
        ...[
            "find . -name x -exec npx eslint {} ';'",
            "watch npm test",
            "npm test <<END | cat\nEND",
        ],
        ...["npm test || npm run test:other", "set +e; npm test; ls"],
    ];
    for (const command of UNDECIDED) {
        it(`The result of the check in \`${titleOf(command)}\` is unknown`, async () => {
            for (const exitCode of [0, 1]) {
                const text = await evidenceAfterEdit(...ran(command, exitCode));
                expect(text).to.match(/ ended 14:02, result unknown$/);
            }
        });
    }

    const NO_CHECKS = [
        ...["npm install", "npm run tests-fixture", 'git commit -m "lint && npm test pass"'],
        ...["cat <<END\nnpm test\nEND", "# npm test", "echo npm test", "grep -r 'npm test' ."],
        ...[
            "npx tsc --version",
            "pytest --version",
            "pytest --help",
            "tsc -v",
            "jest -v",
            "npm test -h",
        ],
        ...[
            "pytest --collect-only",
            "pytest --co -q",
            "cargo test --no-run",
            "cargo test -- --list",
        ],
        ...[
            "mvn install:install-file",
            "mvn install -DskipTests",
            "mvn clean",
            "cargo +nightly run",
        ],
        ...["cmake -S . -B build", "ruby lib/cart.rb", "ruby lib/latest_news.rb", "cargo tree"],
        ...["yarn workspace web add test", "meson setup build", "composer install"],
        ...["make test -n", "make -n test", "gradle test --dry-run", "./gradlew build -x test -m"],
        ...["npx jest --listTests", "npx vitest list", "ctest -N", "npx playwright test --list"],
        ...[
            "tsc --showConfig",
            "eslint --print-config a.js",
            "mvn verify -DskipTests",
            "go test -c",
        ],
        ...[
            "npx eslint --init",
            "dotnet test --list-tests",
            "npm run build-docs",
            "prettier --write .",
        ],
    ];
    for (const command of NO_CHECKS) {
        it(`\`${titleOf(command)}\` tests nothing`, async () => {
            expect(await evidenceAfterEdit(...ran(command, 0))).to.equal(UNTESTED);
        });
    }

    it("A configured command counts as a check, whatever it is", async () => {
        const own = checkFinder(ROOT, ["./verify.sh | tail"]);
        const entries = [user(), edit("a.ts"), ...ran("./verify.sh | tail", 1)];
        expect((await evidenceOf(entries, 0, own))?.checks[0]?.result).to.equal("failed");
    });
});
