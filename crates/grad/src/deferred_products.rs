//! Deferred products: a loop of the backward pass does not add them up iteration by iteration; `product_blocks`
//! computes them.

use gw_ir::ValueId;

use crate::adjoint::Adjoint;
use crate::scope::DeferredProduct;
use crate::stop::Made;

impl Adjoint<'_, '_> {
    /// Puts off `xᵀ·g`, or `gᵀ·x`, to behind the loop whose iteration this is; false if that cannot be.
    pub fn defer_product(&mut self, to: ValueId, x: ValueId, g: ValueId, turned: bool) -> Made<bool> {
        let Some(scope) = self.scopes.last() else { return Ok(false) };
        let to = scope.meant(to);
        let is_plain = |value: ValueId| {
            let shape = &self.graph().ty(value).shape;
            shape.rank() == 2 && shape.lengths().is_some()
        };
        let fits = scope.turn.is_some() && !scope.owns(to) && scope.owns(x) && self.can_keep(x);
        if !(fits && [to, x, g].into_iter().all(is_plain)) {
            return Ok(false);
        }
        let rows = self.rows(x)?;
        let turn = self.scope().turn.as_mut().expect("it is a turn");
        turn.deferred.push(DeferredProduct { to, rows, g, turned });
        Ok(true)
    }
}
