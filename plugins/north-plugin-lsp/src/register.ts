import type { RegisterHook } from "north-cli/plugin";
import { TypesCheck } from "./check.js";
import { lookUpTools } from "./look-up.js";
import { Pool } from "./pool.js";
import { renameTool } from "./rename.js";

const register: RegisterHook = async ({ root }) => {
    if (root === undefined) return { apiVersion: 1 };
    const pool = new Pool(root);
    return {
        apiVersion: 1,
        tools: [...lookUpTools(pool), renameTool(pool)],
        checks: [new TypesCheck(pool)],
        close: async () => pool.stop(),
    };
};

export default register;
