import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { packageTexts, packedFiles, SHRINKWRAP } from "../scripts/package.js";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** What npm would pack, as text, without packing it. */
describe("packaging", () => {
    let files: readonly string[];
    let texts: ReadonlyMap<string, string>;

    before(() => {
        files = packedFiles();
        texts = packageTexts(files);
    });

    function json(file: string) {
        return JSON.parse(texts.get(file) ?? readFileSync(path.join(root, file), "utf8"));
    }

    it("The package's manifest runs no script and needs nothing that only development needs", () => {
        const manifest = json("package.json");
        expect(manifest).not.to.have.any.keys("scripts", "devDependencies", "workspaces");
        expect(manifest).to.include.keys("repository", "homepage", "bugs", "keywords", "author");
        for (const named of [
            "bin/run.js",
            "dist/plugin/index.js",
            "LICENSE",
            "THIRD-PARTY-NOTICES",
        ]) {
            expect(files).to.include(named);
        }
    });

    it("The package's shrinkwrap names exactly the locked versions of its dependencies and theirs", () => {
        const { packages } = json(SHRINKWRAP);
        const locked = json("package-lock.json").packages;
        const names = Object.keys(packages).filter((place) => place !== "");
        for (const name of Object.keys(json("package.json").dependencies)) {
            expect(names).to.include(`node_modules/${name}`);
        }
        expect(
            names.filter((place) => packages[place].version !== locked[place]?.version)
        ).to.deep.equal([]);
        expect(names)
            .not.to.include("node_modules/esbuild")
            .and.not.to.include("node_modules/openai");
    });

    it("The package's pages link only to what is packed, or to the repository", () => {
        const pages = files.filter((file) => file.endsWith(".md"));
        const links = pages.flatMap((page) =>
            [...(texts.get(page) ?? "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => ({
                page,
                target,
            }))
        );
        const isOutside = ({ target }: { target: string }) => /^[a-z]+:/.test(target);
        const dead = links
            .filter((link) => !isOutside(link) && !link.target.startsWith("#"))
            .filter(
                ({ page, target }) =>
                    !files.includes(path.join(path.dirname(page), target.replace(/#.*/, "")))
            );
        expect(dead).to.deep.equal([]);
        const { homepage, version } = json("package.json");
        const inRepository = new RegExp(`^${homepage}/(?:blob|raw)/v${version}/([^#]+)`);
        const named = links.flatMap(({ target }) => inRepository.exec(target)?.[1] ?? []);
        expect(named).to.include("docs/images/demo.svg").and.include("src/plugin/tool.ts");
        expect(named.filter((file) => !existsSync(path.join(root, file)))).to.deep.equal([]);
    });

    it("The package's notices are fresh and name every package that is bundled", () => {
        const notices = readFileSync(path.join(root, "THIRD-PARTY-NOTICES"), "utf8");
        const fresh = execFileSync(process.execPath, ["scripts/notices.js"], {
            cwd: root,
            encoding: "utf8",
        });
        expect(notices === fresh, "run `npm run build`").to.equal(true);
        const { packages } = json("package-lock.json");
        for (const name of ["@anthropic-ai/sdk", "openai", "@oclif/core", "typebox", "marked"]) {
            expect(notices).to.contain(`\n${name} ${packages[`node_modules/${name}`].version} (`);
        }
    });
});
