/** The client settings of a base URL: the SDKs put paths behind it, so its query goes with every request by itself. */
export function clientUrl(address: string): {
  readonly baseURL: string;
  readonly defaultQuery: Record<string, string>;
} {
  const url = new URL(address);
  const defaultQuery = Object.fromEntries(url.searchParams);
  return { baseURL: url.search === "" ? address : address.replace(/[?#].*$/, ""), defaultQuery };
}
