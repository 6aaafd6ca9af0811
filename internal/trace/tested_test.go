package trace

import "testing"

// TestTestedAddition: two numbers have one blend if they are on one side of the pivot. As many others
// come after an addition as still find a number there.
func TestTestedAddition(t *testing.T) {
	compare := func(v, pivot int64) int {
		switch {
		case v < 0:
			return 3
		case v < pivot:
			return 0
		case v == pivot:
			return 1
		}
		return 2
	}
	for _, added := range []int64{1, -1} {
		blends := map[Blend][2]int64{}
		for pivot := int64(-1); pivot <= MostPivot; pivot++ {
			for before := int64(-3); before < 64; before++ {
				b, more := TestedAddition(1, added, pivot, before)
				side := compare(before, pivot)
				if tried := b.ByTrying(); pivot > MostTried && tried != NoBlend || pivot <= MostTried &&
					(b.Commutes(tried) || b.SameTest(tried) || !tried.SameTest(tried) || tried.Commutes(tried) != b.Commutes(b)) {
					t.Errorf("%d at %d with pivot %d: by trying it commutes wrongly", added, before, pivot)
				} else if is, ok := blends[tried]; ok && tried != NoBlend && is != [2]int64{pivot, int64(side)} {
					t.Errorf("%d at %d with pivot %d has the blend of another side by trying", added, before, pivot)
				} else {
					blends[tried] = [2]int64{pivot, int64(side)}
				}
				if is, ok := blends[b]; ok && is != [2]int64{pivot, int64(side)} || !b.Tested() {
					t.Fatalf("%d at %d with pivot %d has the blend of another side", added, before, pivot)
				}
				blends[b] = [2]int64{pivot, int64(side)}
				if b.Commutes(b) != (side == 0 || side == 2) {
					t.Errorf("%d at %d with pivot %d: commutes: %v", added, before, pivot, b.Commutes(b))
				}
				for k := range int64(more) + 1 {
					if v := before + k*added; compare(v, pivot) != side || v > 63 {
						t.Errorf("%d at %d with pivot %d: after %d more it finds %d", added, before, pivot, k, v)
					}
				}
				if v := before + (int64(more)+1)*added; (side == 0 || side == 2) && v >= 0 && v < 63 && compare(v, pivot) == side {
					t.Errorf("%d at %d with pivot %d: only %d more", added, before, pivot, more)
				}
			}
		}
		if b, _ := TestedAddition(1, added, 3, 64); b.Commutes(b) {
			t.Error("a sum near to what the bytes can hold commutes")
		}
	}
	for _, at := range [][2]int64{{2, 3}, {1, -2}, {1, MostPivot + 1}} {
		if b, _ := TestedAddition(8, at[0], at[1], 1); b != NoBlend {
			t.Errorf("%d with pivot %d has a blend", at[0], at[1])
		}
	}
}
