import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "chai";

import { Workplace } from "../helpers/north-program.js";

interface Manifest {
    readonly commands: Readonly<
        Record<
            string,
            {
                readonly id: string;
                readonly aliases: readonly string[];
                readonly flags: Readonly<
                    Record<
                        string,
                        { readonly options?: readonly string[]; readonly hidden?: boolean }
                    >
                >;
            }
        >
    >;
}

const MANIFEST = JSON.parse(readFileSync("oclif.manifest.json", "utf8")) as Manifest;

function hasProgram(name: string): boolean {
    return spawnSync(name, ["--version"]).error === undefined;
}

describe("Shell completion", () => {
    let place: Workplace;

    beforeEach(() => {
        place = new Workplace();
    });
    afterEach(() => place.remove());

    async function scriptFor(shell: string): Promise<string> {
        const { code, stdout, stderr } = await place.run(["completion", shell]);
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
        return stdout;
    }

    it("fish completes every command, flag and value of the manifest and of other plugins", async () => {
        const script = await scriptFor("fish");
        for (const { id, aliases, flags } of Object.values(MANIFEST.commands)) {
            for (const name of [id, ...aliases]) {
                const words = name.replaceAll(":", " ");
                expect(script).to.contain(`'${words}'`);
                const own = script.split("\n").filter((line) => line.includes(`\\'${words}\\'`));
                for (const [flag, { options, hidden }] of Object.entries(flags)) {
                    const line = own.find((one) => one.includes(` -l ${flag} `));
                    if (hidden) {
                        expect(line, `${words} --${flag}`).to.equal(undefined);
                        continue;
                    }
                    expect(line, `${words} --${flag}`).to.be.a("string");
                    if (options) expect(line).to.contain(`-x -a '${options.join(" ")}'`);
                }
            }
        }
        expect(script).to.contain("'plugins install'");
        const known = /^set -g __north_commands (.*)$/m.exec(script)?.[1]?.match(/'[^']+'/g) ?? [];
        expect(known).to.deep.equal([...new Set(known)]);
    });

    it("fish offers what fits the position", async function () {
        if (!hasProgram("fish")) this.skip();
        const script = path.join(place.home, "north.fish");
        place.write("../home/north.fish", await scriptFor("fish"));
        const offered = (line: string): string[] =>
            execFileSync("fish", ["-c", 'source $argv[1]; complete -C "$argv[2]"', script, line], {
                env: place.environment(),
                encoding: "utf8",
            })
                .split("\n")
                .filter(Boolean)
                .map((row) => row.split("\t")[0] ?? "");
        expect(offered("north cos")).to.deep.equal(["costs"]);
        expect(offered("north conversations ")).to.deep.equal(["delete", "export", "show"]);
        expect(offered("north costs --by ")).to.have.members([
            "day",
            "model",
            "month",
            "project",
            "provider",
            "reason",
        ]);
        expect(offered("north --mo")).to.deep.equal(["--mode", "--model"]);
        expect(offered("north costs --mo")).to.deep.equal([]);
    });

    /** What the script offers for the last of these words. */
    async function offers(shell: string, lines: readonly string[][]): Promise<string[]> {
        place.write("../home/north.bash", await scriptFor(shell));
        const attempts = lines.map((words) => {
            const quoted = words.map((word) => `'${word}'`).join(" ");
            return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _north; echo "\${COMPREPLY[*]}"`;
        });
        // zsh calls such functions in this mode, and filters the words itself.
        const [start, mode] = shell === "zsh" ? [["compdef() { :; }"], ["emulate sh"]] : [[], []];
        const text = [...start, `. ${path.join(place.home, "north.bash")}`, ...mode, ...attempts];
        const environment = {
            env: place.environment(),
            cwd: place.repository,
            encoding: "utf8",
        } as const;
        const printed = execFileSync(shell, ["-c", text.join("\n")], environment);
        return printed.trimEnd().split("\n");
    }

    const EXPECTED: readonly (readonly [readonly string[], string])[] = [
        [["cos"], "costs"],
        [["conversations", ""], "delete export show"],
        [["costs", "--by", ""], "model provider project day month reason"],
        [["costs", "--by", "=", "mo"], "model month"],
        [["--mode", ""], "ask plan draft agent"],
        [["chat", "--output-format", "=", ""], "text json stream-json"],
        [["chat", "--output-format=st"], "--output-format=stream-json"],
        [["--mo"], "--model --mode"],
        [["costs", "--mo"], ""],
        [["-p", "--model", ""], ""],
        [["it's", "no", "command"], ""],
        [["--path", "sr"], "src"],
        [["--path=sr"], "--path=src"],
        [["--file=src/"], "--file=src/a.ts"],
        [["plugins", "in"], "inspect install"],
    ];
    for (const shell of ["bash", "zsh"] as const) {
        it(`${shell} offers what fits the position`, async function () {
            if (!hasProgram(shell)) this.skip();
            place.write("src/a.ts", "");
            place.write("sr.txt", "");
            const lines = EXPECTED.map(([words]) => ["north", ...words]);
            const offered = await offers(
                shell,
                lines.map((words) => words.map((word) => word.replaceAll("'", "'\\''")))
            );
            const fitting = offered.map((row, index) => {
                const begun = EXPECTED[index]?.[0].at(-1) ?? "";
                return row
                    .split(" ")
                    .filter((word) => word.startsWith(begun))
                    .join(" ");
            });
            expect(shell === "zsh" ? fitting : offered).to.deep.equal(
                EXPECTED.map(([, said]) => said)
            );
        });
    }

    it("bash offers every command and every flag of it", async () => {
        const shown = Object.values(MANIFEST.commands).flatMap(({ id, aliases, flags }) => {
            const names = Object.keys(flags).filter((name) => flags[name]?.hidden !== true);
            return [id, ...aliases].map((words) => [words.split(":"), names] as const);
        });
        const offered = await offers(
            "bash",
            shown.map(([words]) => ["north", ...words, "--"])
        );
        for (const [index, [, names]] of shown.entries()) {
            const flags = (offered[index] ?? "").split(" ").filter(Boolean);
            expect(flags).to.have.members(names.map((name) => `--${name}`));
        }
    });
});
