// What the tuner moves around: shapes and candidates, as the cells of a family's columns.
#pragma once

#include <map>
#include <string>

namespace tunehub::agent::tuning {

// By column, in canonical text. A shape has every shape column of its family, a candidate the
// config columns that say what runs; neither has a target.
using Columns = std::map<std::string, std::string>;

// "M=16 N=1280 K=8192": what people and journals call it. Equal texts are equal columns.
std::string TextOf(const Columns& columns);

// The candidate's split along K, by the column that the family has for it; 0 where it says nothing.
long SplitK(const Columns& candidate);

// How far apart two shapes are: |log2| of each integer column's ratio, of M (or token) once and of
// the others twice, since a kernel's choice follows N and K more than M. Infinite where another
// column differs.
double Distance(const Columns& a, const Columns& b);

// How many of the parameters in the names and columns of two candidates differ: "..._8x2_..." and
// "..._8x4_..." differ in one. Large where the names have other words.
int Differences(const Columns& a, const Columns& b);

}  // namespace tunehub::agent::tuning
