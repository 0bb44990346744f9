import { expect } from "chai";
import {
    northDirectories,
    projectFolder,
    projectHash,
} from "../../../src/storage/files/directories.js";

describe("northDirectories", () => {
    it("Each kind of file has a place below the home folder", () => {
        expect(northDirectories({ HOME: "/home/ada" })).to.deep.equal({
            config: "/home/ada/.config/north",
            data: "/home/ada/.north",
            state: "/home/ada/.local/state/north",
        });
    });

    it("Each variable overrides its own folder, and empty ones are ignored", () => {
        const environment = { HOME: "/home/ada", NORTH_DATA_DIR: "/data", NORTH_STATE_DIR: "" };
        expect(northDirectories(environment)).to.deep.equal({
            config: "/home/ada/.config/north",
            data: "/data",
            state: "/home/ada/.local/state/north",
        });
    });
});

describe("projectHash", () => {
    it("The project hash is a prefix of the root's SHA-256", () => {
        // printf /work/project | sha256sum
        expect(projectHash("/work/project")).to.equal("65d80d2c48b3d23b");
        expect(projectFolder("/data", "/work/project")).to.equal("/data/projects/65d80d2c48b3d23b");
    });
});
