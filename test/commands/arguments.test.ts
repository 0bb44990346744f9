import { readdirSync } from "node:fs";
import path from "node:path";
import type { Command } from "@oclif/core";
import { expect } from "chai";

const FOLDER = path.resolve("src/commands");

describe("Command arguments", () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => name.endsWith(".ts"))) {
        it(`The arguments of ${file} never come from a pipe`, async () => {
            const { default: command } = (await import(path.join(FOLDER, file))) as {
                default: typeof Command;
            };
            for (const [name, { ignoreStdin }] of Object.entries(command.args)) {
                expect({ name, ignoreStdin }).to.deep.equal({ name, ignoreStdin: true });
            }
        });
    }
});
