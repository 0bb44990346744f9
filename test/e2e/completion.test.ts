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

    async function fishScript(): Promise<string> {
        const { code, stdout, stderr } = await place.run(["completion", "fish"]);
        expect({ code, stderr }).to.deep.equal({ code: 0, stderr: "" });
        return stdout;
    }

    it("fish completes every command, flag and value of the manifest and of other plugins", async () => {
        const script = await fishScript();
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
        expect(script).to.contain("'plugins install'").and.to.contain("'autocomplete'");
        const known = /^set -g __north_commands (.*)$/m.exec(script)?.[1]?.match(/'[^']+'/g) ?? [];
        expect(known).to.deep.equal([...new Set(known)]);
    });

    it("fish offers what fits the position", async function () {
        if (!hasProgram("fish")) this.skip();
        const script = path.join(place.home, "north.fish");
        place.write("../home/north.fish", await fishScript());
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
            "project",
            "provider",
        ]);
        expect(offered("north --mo")).to.deep.equal(["--mode", "--model"]);
        expect(offered("north costs --mo")).to.deep.equal([]);
    });

    for (const [shell, file] of [
        ["bash", "bash/north.bash"],
        ["zsh", "zsh/_north"],
    ] as const) {
        it(`${shell} can read its script, which has all commands`, async function () {
            const { code } = await place.run(["autocomplete", shell]);
            expect(code).to.equal(0);
            const cache = path.join(place.home, ".cache", "north", "autocomplete", "functions");
            const script = path.join(cache, file);
            const text = readFileSync(script, "utf8");
            for (const { id } of Object.values(MANIFEST.commands)) {
                expect(text).to.contain(id.split(":").at(-1));
            }

            if (hasProgram(shell)) execFileSync(shell, ["-n", script]);
        });
    }
});
