// The files behind a static export's answers, and the addresses of its views.
import {describe, expect, test} from 'vitest';
import {addressOf, rowsOf, tableFile} from '../../../web/src/exported/files';
import {folderOf, placeOf} from '../../../web/src/exported/paths';

describe('addresses', () => {
  test('one question has one address, however it is put', () => {
    expect(addressOf('/speedups')).toBe('/speedups');
    expect(addressOf('/coverage?tp=8&model=qwen3-vl-32b')).toBe('/coverage?model=qwen3-vl-32b&tp=8');
    expect(addressOf('/coverage?state=missing%2Cbaseline&format=csv')).toBe('/coverage?format=csv&state=missing%2Cbaseline');
  });

  test('a table has the file of its target, whatever else is filtered', () => {
    expect(tableFile('bf16', {})).toBe('tables/bf16.csv');
    expect(tableFile('bf16', {gfx: 'gfx950', cu_num: '', M: '16'})).toBe('tables/bf16/gfx950.csv');
    expect(tableFile('bf16', {gfx: 'gfx950', cu_num: '256', measured: 'only'})).toBe('tables/bf16/gfx950_256.csv');
  });

  test('a view is in the query, below any folder', () => {
    expect(placeOf('/team/tunehub/', '?view=kernels&family=a8w8&M=16')).toEqual({view: 'kernels', query: 'family=a8w8&M=16'});
    expect(placeOf('/team/tunehub/index.html', '')).toEqual({view: '', query: ''});
    expect(folderOf('/team/tunehub/index.html')).toBe('/team/tunehub/');
    expect(folderOf('/')).toBe('/');
  });
});

describe('rows', () => {
  const all = [
    {gfx: 'gfx942', M: 1, bias: true, kernelName: 'Tile_16', standing: 'measured'},
    {gfx: 'gfx942', M: 16, bias: false, kernelName: null, standing: 'unmeasured'},
    {gfx: 'gfx950', M: 1, bias: true, kernelName: 'tile_32', standing: 'measured'},
  ];
  const of = (query: string) => rowsOf('bf16', 3, all, new URLSearchParams(query));

  test('filters leave rows out as the server does', () => {
    expect(of('')).toMatchObject({family: 'bf16', revision: 3, total: 3});
    expect(of('gfx=gfx942').total).toBe(2);
    expect(of('M=1').total).toBe(2);
    expect(of('bias=True&gfx=gfx950').rows).toEqual([{gfx: 'gfx950', M: 1, bias: true, kernelName: 'tile_32', standing: 'measured'}]);
    expect(of('measured=only').total).toBe(2);
    expect(of('contains=TILE_').total).toBe(2);
    expect(of('nothing=1').total).toBe(0);
  });

  test('pages follow one another to the end', () => {
    expect(of('limit=2').rows.length).toBe(2);
    expect(of('limit=2&after=2')).toMatchObject({total: 3, rows: [{gfx: 'gfx950'}]});
  });

  test('sorted by a column, as the server sorts: what is empty last', () => {
    const by = (sort: string, name: string) => of(`sort=${sort}`).rows.map((row) => row[name]);
    expect(by('-M', 'M')).toEqual([16, 1, 1]);
    expect(by('kernelName', 'kernelName')).toEqual(['Tile_16', 'tile_32', null]);
    expect(by('-kernelName', 'kernelName')).toEqual(['tile_32', 'Tile_16', null]);
  });
});
