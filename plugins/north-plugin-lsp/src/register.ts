import type { RegisterHook } from "north-cli/plugin";
import { lookUpTools } from "./look-up.js";
import { Pool } from "./pool.js";

const register: RegisterHook = async ({ root }) => {
    if (root === undefined) return { apiVersion: 1 };
    const pool = new Pool(root);
    return {
        apiVersion: 1,
        tools: lookUpTools(pool),
        close: async () => pool.stop(),
    };
};

export default register;
