import pg from "pg";

/** Opens the pool; `run` answers {rows, rowCount}, `transaction` rolls back when its function throws. */
export async function openDatabase(url) {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  return {
    run: (sql, values) => pool.query(sql, values),
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const result = await work({ run: (sql, values) => client.query(sql, values) });
        await client.query("COMMIT");
        return result;
      } catch (error) {
        await client.query("ROLLBACK");
        throw error;
      } finally {
        client.release();
      }
    },
  };
}
