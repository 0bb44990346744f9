import { expect } from "chai";
import {
    northDirectories,
    projectFolder,
    projectHash,
} from "../../../src/storage/files/directories.js";

describe("northDirectories", () => {
    it("has a place below the home folder for each kind of file", () => {
        expect(northDirectories({ HOME: "/home/ada" })).to.deep.equal({
            config: "/home/ada/.config/north",
            data: "/home/ada/.north",
            state: "/home/ada/.local/state/north",
        });
    });

    it("follows the variables, one by one, and passes over empty ones", () => {
        const environment = { HOME: "/home/ada", NORTH_DATA_DIR: "/data", NORTH_STATE_DIR: "" };
        expect(northDirectories(environment)).to.deep.equal({
            config: "/home/ada/.config/north",
            data: "/data",
            state: "/home/ada/.local/state/north",
        });
    });
});

describe("projectHash", () => {
    it("is the beginning of the SHA-256 of the root", () => {
        // printf /work/project | sha256sum
        expect(projectHash("/work/project")).to.equal("65d80d2c48b3d23b");
        expect(projectFolder("/data", "/work/project")).to.equal("/data/projects/65d80d2c48b3d23b");
    });
});
